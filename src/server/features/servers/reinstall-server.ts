import { and, eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { Reinstall } from '#shared/api/overview/servers.ts'
import { AppError } from '#shared/errors.ts'
import { quotaRefusal } from '#shared/rules/instance/snapshots.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { sshKeys } from '../../db/schema/ssh-keys.ts'
import { jobs as jobsTable } from '../../db/schema/work.ts'
import { nameToType, requireTyped } from '../../inventory/views/typed-name.ts'
import { REINSTALLING } from '../../inventory/vm/acts-under-way.ts'
import { UNFINISHED } from '../../jobs/job-store.ts'
import { setupOf } from '../../orders/server-setup.ts'
import { HANDOVER } from '../../provisioning/handover/handover-job.ts'
import { holdServer } from '../../provisioning/hold/hold-server.ts'
import { REINSTALL, type ReinstallJob } from '../../provisioning/reinstall/reinstall-job.ts'
import { systemsFor } from '../../provisioning/reinstall/systems.ts'
import { offerRefusal, requireUserData } from '../../provisioning/seed/user-data-offer.ts'
import {
  reserveSnapshot,
  snapshotsOf,
  termsOf,
} from '../../provisioning/snapshots/snapshot-rows.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer, type OwnedServer, withToken } from './locked-server.ts'
import { type ServerRow, serverRow } from './server-row.ts'
import type { ViewDeps } from './server-view.ts'
import { roomCheck } from './snapshot-server.ts'

export type ReinstallDeps = ViewDeps &
  Pick<Deps, 'db' | 'events' | 'jobs' | 'hypervisors' | 'keyring' | 'random' | 'log'> & {
    audit: Audit
    reinstall: ReinstallJob
  }

/** Gives a server another system, for its owner and for operators. */
export function reinstallServer(deps: ReinstallDeps) {
  const { db, clock, events, jobs, audit, hypervisors, reinstall: job } = deps

  return {
    async preview(actor: Actor, id: number) {
      const row = withToken(await serverRow(db, actor, id))
      return {
        systems: [...(await systemsFor(db, row)).keys()],
        osType: row.token.osType,
        sshKeyIds: await keyIdsOf(db, row),
        confirm: nameToType(row),
        userData: { refusal: (await offerRefusal(db, row.nodeId, hypervisors)) ?? null },
        snapshot: await snapshotOffer(db, row),
      }
    },

    async begin(
      actor: Actor,
      id: number,
      { osType, sshKeyIds = [], userData, snapshotFirst, confirm }: z.output<typeof Reinstall>,
    ): Promise<{ jobId: string }> {
      const requireRoom = snapshotFirst && (await roomCheck(await serverRow(db, actor, id), deps))
      return await db.transaction(async (tx) => {
        const row = await lockServer(tx, { actor, id, act: 'reinstall' }, deps)
        if (requireRoom) requireRoom()
        const kind = await unfinishedOn(tx, id)
        if (kind !== undefined) throw new AppError('INVALID_STATE', UNFINISHED_YET[kind])
        requireTyped(row, confirm)
        const { token, ownerId } = row
        const templateId = await templateFor(tx, row, osType)
        const wishes = { sshKeyIds, userData }
        const setup = await setupOf(tx, ownerId ?? 0, wishes, { osType, isReady: false }, deps)
        if (setup?.userData) await requireUserData(tx, row.nodeId, hypervisors)
        const at = clock.now()
        const taken = snapshotFirst
          ? await reserveSnapshot(tx, beforeReinstall(row, at), deps.random)
          : undefined
        const server = { id, tokenId: token.id, name: row.name }
        const jobId = await jobs.enqueue(
          tx,
          job,
          {
            ...(await holdServer(tx, server, at, REINSTALLING)),
            osType,
            templateId,
            sshKeyIds,
            ...(setup?.userData && { userData: setup.userData }),
            ...(taken && { snapshot: { id: taken.id, vmSnapshot: taken.vmSnapshot } }),
          },
          ownerId === null ? {} : { ownerId },
        )
        await publishTokenChange(tx, events, ownerId)
        await audit.record(tx, actor, {
          action: 'instance.reinstall',
          target: `instance:${id}`,
          details: { osType },
        })
        return { jobId }
      })
    },
  }
}

/** It is kept as long as the package allows. */
const beforeReinstall = ({ id, token }: OwnedServer, now: Date) => ({
  instanceId: id,
  token,
  name: `Before reinstalling, ${token.osType}`.slice(0, 60),
  days: undefined,
  now,
})

/** Whether the old system can be kept as a snapshot, and for how long. */
async function snapshotOffer(tx: Db, { id, token }: OwnedServer) {
  const { quota, days } = await termsOf(tx, token.id)
  const taken = await snapshotsOf(tx, id)
  return { refusal: quotaRefusal(taken.length, quota) ?? null, days }
}

const UNFINISHED_YET = {
  [REINSTALL]: 'The disk of the last system is still being removed. Try again in some minutes.',
  [HANDOVER]: 'The login is being replaced. Reinstall it when that is done.',
}
type Exclusive = keyof typeof UNFINISHED_YET

async function templateFor(tx: Db, row: OwnedServer, osType: string): Promise<number> {
  const systems = await systemsFor(tx, row)
  const templateId = systems.get(osType)
  if (templateId !== undefined) return templateId
  const others = [...systems.keys()].join(', ')
  throw new AppError(
    'INVALID_INPUT',
    others === ''
      ? 'No system is prepared for this server. Ask the operator.'
      : `${osType} is not prepared for this server. There is ${others}.`,
  )
}

/** The kind of an unfinished job with which a reinstallation would interfere. */
async function unfinishedOn(tx: Db, id: number): Promise<Exclusive | undefined> {
  const [row] = await tx
    .select({ kind: jobsTable.kind })
    .from(jobsTable)
    .where(
      and(
        eq(jobsTable.subject, `instance:${id}`),
        inArray(jobsTable.kind, [REINSTALL, HANDOVER]),
        inArray(jobsTable.state, UNFINISHED),
      ),
    )
    .limit(1)
  return row?.kind as Exclusive | undefined
}

/** The keys on it that are still in its owner's ring. */
async function keyIdsOf(tx: Db, { keys, ownerId }: ServerRow): Promise<number[]> {
  const fingerprints = keys.map(({ fingerprint }) => fingerprint)
  const rows = await tx
    .select({ id: sshKeys.id })
    .from(sshKeys)
    .where(and(eq(sshKeys.userId, ownerId ?? 0), inArray(sshKeys.fingerprint, fingerprints)))
    .orderBy(sshKeys.id)
  return rows.map(({ id }) => id)
}
