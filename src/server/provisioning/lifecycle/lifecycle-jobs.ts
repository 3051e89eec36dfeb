import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { settleVm } from '../../addresses/settle-addresses.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/database.ts'
import { orders, payments } from '../../db/schema/sales.ts'
import { serverEnds } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { forgetHostKeys } from '../../host-keys/host-key-rows.ts'
import { OF_NOBODY } from '../../inventory/views/suspended.ts'
import type { InstanceRow } from '../../inventory/vm/instance-row.ts'
import { instanceById, vmOf } from '../../inventory/vm/instance-row.ts'
import { defineJob, type Step, type StepContext, tokenSubject } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { moveTokens } from '../../tokens/move-token.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'
import { dropArchivesOf } from './left-archives.ts'
import { isGraceOver } from './server-ends.ts'
import {
  isMissing,
  mustBeOff,
  switchOff,
  switchOn,
  waitForHold,
  waitForOthers,
} from './switch-vm.ts'
import { witnessedIn } from './witness.ts'

export type LifecycleDeps = JobDeps & { config: Pick<Config, 'graceDays'> }

const LifecycleInput = z.object({
  tokenId: z.number().int(),
  name: z.string(),
  /** Identifies the end that the job is for: a renewal leads to another one. */
  since: z.string().optional(),
})
type Context = StepContext<z.output<typeof LifecycleInput>>

async function tokenById(db: Db, id: number): Promise<TokenRow | undefined> {
  const [row] = await db.select().from(tokens).where(eq(tokens.id, id))
  return row
}

/**
 * Stops the VM of a token that ended or is suspended, and keeps it. Does nothing if the token was
 * renewed meanwhile.
 */
export const stopJob = (deps: JobDeps) =>
  defineJob({
    kind: 'stop',
    input: LifecycleInput,
    title: ({ name }) => `Stop ${name}`,
    subject: ({ tokenId }) => tokenSubject(tokenId),
    steps: [
      {
        name: 'stop',
        async run({ input }: Context) {
          const found = await vmOfToken(deps, input.tokenId)
          if (!found || !mustBeOff(found)) return
          waitForOthers(deps, found.instance)
          try {
            await switchOff(found)
          } catch (error) {
            if (!isMissing(error)) throw error
          }
          // The token may have been renewed or resumed during the stop.
          const later = await vmOfToken(deps, input.tokenId)
          if (later?.token.status === 'assigned' && !mustBeOff(later)) await switchOn(later)
        },
      },
    ],
  })

/** Starts a server that was renewed after its end. */
export const startJob = (deps: JobDeps) =>
  defineJob({
    kind: 'start',
    input: LifecycleInput,
    title: ({ name }) => `Start ${name}`,
    subject: ({ tokenId }) => tokenSubject(tokenId),
    steps: [
      {
        name: 'start',
        async run({ input }: Context) {
          const found = await vmOfToken(deps, input.tokenId)
          if (found?.token.status !== 'assigned' || mustBeOff(found)) return
          waitForHold(found.instance)
          await switchOn(found)
          // The token may have ended or been suspended during the start.
          const later = await vmOfToken(deps, input.tokenId)
          if (later && mustBeOff(later)) await switchOff(later)
        },
      },
    ],
  })

type Found = NonNullable<Awaited<ReturnType<typeof vmOfToken>>>

async function vmOfToken({ db, hypervisors }: JobDeps, tokenId: number) {
  const token = await tokenById(db, tokenId)
  const instance = token && (await instanceById(db, token.assignedInstanceId))
  if (!token || !instance) return undefined
  const { hypervisor } = hypervisors.of(instance.clusterId)
  return { token, instance, hypervisor, vm: await vmOf(db, instance) }
}

/** Removes a server after its grace period. A VM that existed before us is only released. */
export function endJob(deps: LifecycleDeps) {
  const cancel: Step<z.output<typeof LifecycleInput>, Decision> = {
    name: 'cancel',
    run: ({ input }) => cancelForGood(deps, input.tokenId),
    /**
     * The VM could not be destroyed: the status `unknown` shows it to an admin, and the removal is
     * retried later.
     */
    undo: ({ input }) => markUnknown(deps, input.tokenId),
  }
  /** Undefined if the decision no longer holds. */
  const instanceToDestroy = async ({ input, output }: Context) => {
    if (!output(cancel)?.proceed) return undefined
    const token = await tokenById(deps.db, input.tokenId)
    if (token?.status !== 'cancelled') return undefined
    return await instanceById(deps.db, token.assignedInstanceId)
  }
  return defineJob({
    kind: 'end',
    input: LifecycleInput,
    title: ({ name }) => `Remove ${name}`,
    subject: ({ tokenId }) => tokenSubject(tokenId),
    steps: [
      cancel,
      {
        name: 'archives',
        async run(context: Context) {
          const instance = await instanceToDestroy(context)
          if (instance) await dropArchivesOf(deps, instance.id)
        },
      },
      {
        name: 'destroy',
        async run(context: Context) {
          const instance = await instanceToDestroy(context)
          if (instance) await destroyOwn(deps, instance)
        },
      },
      {
        name: 'release',
        async run(context: Context) {
          const instance = await instanceToDestroy(context)
          if (instance) await release(deps, context.input.tokenId, instance)
        },
      },
    ],
  })
}

type Decision = { proceed: boolean }

/** True if the payment of a renewal is on its way: the client has paid, so the server stays. */
async function isBeingPaid(tx: Db, tokenId: number): Promise<boolean> {
  const [row] = await tx
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(payments, eq(payments.orderId, orders.id))
    .where(
      and(
        eq(orders.tokenId, tokenId),
        eq(orders.kind, 'renewal'),
        eq(orders.status, 'pending'),
        eq(payments.status, 'confirming'),
      ),
    )
    .limit(1)
  return row !== undefined
}

/**
 * True if a sweep ordered the removal and its reasons still hold: the clock may have been
 * corrected.
 */
async function isToGo(tx: Db, token: TokenRow, now: Date, config: LifecycleDeps['config']) {
  const [end] = await tx.select().from(serverEnds).where(eq(serverEnds.tokenId, token.id))
  if (!end || end.orderedMs === null) return false
  return isGraceOver({ token, end }, { now, witnessed: await witnessedIn(tx) }, config)
}

/**
 * Decides under a lock, right before the destroy: a renewal that commits first keeps the server
 * (T6).
 */
function cancelForGood(deps: LifecycleDeps, tokenId: number): Promise<Decision> {
  const { db, clock, events, audit, config } = deps
  return db.transaction(async (tx) => {
    const [token] = await tx.select().from(tokens).where(eq(tokens.id, tokenId)).for('update')
    const now = clock.now()
    if (!token || !['expired', 'cancelled'].includes(token.status)) return { proceed: false }
    if (!(await isToGo(tx, token, now, config))) return { proceed: false }
    if (await isBeingPaid(tx, tokenId)) return { proceed: false }
    if (token.assignedInstanceId !== null) {
      await tx
        .update(instances)
        .set({ status: 'deleting', lastUpdated: now })
        .where(eq(instances.id, token.assignedInstanceId))
    }
    if (token.status === 'expired') {
      await moveTokens(tx, eq(tokens.id, tokenId), { to: 'cancelled', from: ['expired'], now })
      await publishTokenChange(tx, events, token.assignedUserId)
      await audit.record(tx, undefined, { action: 'token.end', target: `token:${tokenId}` })
    }
    return { proceed: true }
  })
}

async function markUnknown({ db, clock }: LifecycleDeps, tokenId: number): Promise<void> {
  const token = await tokenById(db, tokenId)
  const instance = token && (await instanceById(db, token.assignedInstanceId))
  if (instance?.status !== 'deleting') return
  await db
    .update(instances)
    .set({ status: 'unknown', lastUpdated: clock.now() })
    .where(eq(instances.id, instance.id))
}

async function destroyOwn(deps: LifecycleDeps, instance: InstanceRow) {
  const { hypervisor } = deps.hypervisors.of(instance.clusterId)
  const vm = await vmOf(deps.db, instance)
  try {
    const { marker, uuid } = instance
    if (marker === null) await stopIfRunning(hypervisor, vm)
    else await hypervisor.destroy({ ...vm, marker, uuid: uuid ?? undefined })
  } catch (error) {
    // The id belongs to another VM by now: ours is gone, and the other one is left alone.
    if (!isMissing(error)) throw error
  }
}

/** Usually off since its end already; some clusters refuse to stop a VM that is not running. */
async function stopIfRunning(hypervisor: Found['hypervisor'], vm: Found['vm']): Promise<void> {
  const { state } = await hypervisor.vm(vm)
  if (state !== 'stopped') await hypervisor.power(vm, 'stop')
}

async function release(
  { db, events, clock }: LifecycleDeps,
  tokenId: number,
  instance: InstanceRow,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (instance.marker !== null) await tx.delete(instances).where(eq(instances.id, instance.id))
    else {
      await tx
        .update(instances)
        .set({ ...OF_NOBODY, status: 'stopped' })
        .where(eq(instances.id, instance.id))
      await forgetHostKeys(tx, instance.id)
    }
    await tx.update(tokens).set({ assignedInstanceId: null }).where(eq(tokens.id, tokenId))
    await settleVm(tx, instance, clock.now())
    await publishTokenChange(tx, events, instance.ownerId)
  })
}
