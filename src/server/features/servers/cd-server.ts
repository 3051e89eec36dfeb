import { and, asc, desc, eq, gt } from 'drizzle-orm'
import type { z } from 'zod'
import type { CdInsert } from '#shared/api/servers/isos.ts'
import { AppError, notFound } from '#shared/errors.ts'
import type { CdKind } from '#shared/rules/instance/cds.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { beforeEffect } from '../../db/effect-scope.ts'
import { isos } from '../../db/schema/infrastructure.ts'
import { ownIsos } from '../../db/schema/stock.ts'
import { cdOf, type InsertInput } from '../../provisioning/cds/cd-state.ts'
import type { InsertCdJob } from '../../provisioning/cds/insert-job.ts'
import type { IsoProbe } from '../../provisioning/cds/iso-probe.ts'
import type { TakeOutJob } from '../../provisioning/cds/take-out-job.ts'
import { holdServer } from '../../provisioning/hold/hold-server.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer, type OwnedServer } from './locked-server.ts'
import { type ServerRow, serverRow } from './server-row.ts'
import { serverView, type ViewDeps } from './server-view.ts'

export type CdDeps = ViewDeps &
  Pick<Deps, 'db' | 'events' | 'jobs' | 'hypervisors' | 'random'> & {
    audit: Audit
    insertCd: InsertCdJob
    takeCdOut: TakeOutJob
    probeIso: IsoProbe
  }

/** Each kind of CD has a call of its own to take it out. */
function noneOf(wanted: CdKind, found: CdKind | undefined): string {
  if (wanted === 'rescue') return 'This server is not in rescue.'
  return found === 'rescue'
    ? 'This server is in rescue. End the rescue instead.'
    : 'No CD is in this server.'
}

type Cd = Pick<InsertInput, 'kind' | 'cdName' | 'volume' | 'own'>

const NOT_HERE =
  'Images of your own cannot be used on this server: its cluster does not allow us to download them.'

/** The CD drive of a server, for its owner and for operators. */
export function cdServer(deps: CdDeps) {
  const { db, clock, events, jobs, hypervisors, random, audit, probeIso } = deps

  const ownRefusal = ({ clusterId, nodeName }: ServerRow): string | null => {
    const nodes = hypervisors.all().get(clusterId)?.inventory.view().inventory?.ownIsoNodes
    return nodeName !== null && nodes?.has(nodeName) ? null : NOT_HERE
  }

  const begin = async (tx: Db, actor: Actor, { row, cd }: { row: OwnedServer; cd: Cd }) => {
    const server = { id: row.id, name: row.name, tokenId: row.token.id }
    const input = { ...(await holdServer(tx, server, clock.now())), ...cd }
    const { ownerId } = row
    const jobId = await jobs.enqueue(tx, deps.insertCd, input, ownerId === null ? {} : { ownerId })
    await publishTokenChange(tx, events, ownerId)
    const action = cd.kind === 'rescue' ? 'instance.rescue' : 'instance.cd'
    const details = cd.kind === 'rescue' ? {} : { cd: cd.cdName }
    await audit.record(tx, actor, { action, target: `instance:${row.id}`, details })
    return { jobId }
  }

  const onOffer = async (tx: Db, { clusterId }: ServerRow, isoId: number): Promise<Cd> => {
    const isIt = and(eq(isos.id, isoId), eq(isos.clusterId, clusterId))
    const [iso] = await tx.select().from(isos).where(isIt)
    if (!iso) throw notFound('ISO image')
    return { kind: 'iso', cdName: iso.name, volume: iso.volume, own: null }
  }

  const rescueOf = async (tx: Db, { clusterId }: Pick<ServerRow, 'clusterId'>) => {
    const isIt = and(eq(isos.clusterId, clusterId), eq(isos.isRescue, true))
    const [iso] = await tx.select().from(isos).where(isIt)
    return iso
  }

  /** Another server is asked only where its image could be inserted now. */
  const admitOwn = async (actor: Actor, id: number, url: string): Promise<void> => {
    const row = await serverRow(db, actor, id)
    const why = serverView(row, actor, deps).can.iso.why ?? ownRefusal(row)
    if (why !== null) throw new AppError('INVALID_STATE', why)
    await probeIso(url)
  }

  const ownCd = (row: ServerRow, own: { url: string; sha256: string }): Cd => {
    const why = ownRefusal(row)
    if (why !== null) throw new AppError('INVALID_STATE', why)
    const file = `own-${random.bytes(8).toString('hex')}.iso`
    return { kind: 'iso', cdName: new URL(own.url).host, volume: null, own: { ...own, file } }
  }

  /** Takes out a CD of this kind; the other kind has its own call. */
  const end = (actor: Actor, id: number, kind: CdKind) =>
    db.transaction(async (tx) => {
      const row = await lockServer(tx, { actor, id, act: 'takeCdOut' }, deps)
      const cd = await cdOf(tx, id)
      if (cd?.kind !== kind) {
        throw new AppError('INVALID_STATE', noneOf(kind, cd?.kind))
      }
      const server = { id: row.id, name: row.name, tokenId: row.token.id }
      const input = { ...(await holdServer(tx, server, clock.now())), kind }
      const { ownerId } = row
      const options = ownerId === null ? {} : { ownerId }
      const jobId = await jobs.enqueue(tx, deps.takeCdOut, input, options)
      await publishTokenChange(tx, events, ownerId)
      const action = kind === 'rescue' ? 'instance.rescue-end' : 'instance.cd-out'
      await audit.record(tx, actor, { action, target: `instance:${id}` })
      return { jobId }
    })

  return {
    async get(actor: Actor, id: number) {
      const row = await serverRow(db, actor, id)
      const list = await db
        .select({ id: isos.id, name: isos.name, isRescue: isos.isRescue })
        .from(isos)
        .where(eq(isos.clusterId, row.clusterId))
        .orderBy(asc(isos.name))
      const isKept = and(eq(ownIsos.instanceId, id), gt(ownIsos.expiresAt, clock.now()))
      const [own] = await db.select().from(ownIsos).where(isKept).orderBy(desc(ownIsos.id)).limit(1)
      return {
        cd: (await cdOf(db, id)) ?? null,
        isos: list,
        rescue: list.find(({ isRescue }) => isRescue)?.name ?? null,
        ownRefusal: ownRefusal(row),
        own: own ?? null,
      }
    },

    async insert(actor: Actor, id: number, { isoId, url, sha256 }: z.output<typeof CdInsert>) {
      const own = url !== undefined && sha256 !== undefined ? { url, sha256 } : undefined
      // Before the transaction: another server is asked, which may take its time.
      if (own) await beforeEffect(() => admitOwn(actor, id, own.url))
      return await db.transaction(async (tx) => {
        const row = await lockServer(tx, { actor, id, act: 'iso' }, deps)
        const cd = own ? ownCd(row, own) : await onOffer(tx, row, isoId ?? 0)
        return await begin(tx, actor, { row, cd })
      })
    },

    takeOut: (actor: Actor, id: number) => end(actor, id, 'iso'),

    rescue: (actor: Actor, id: number) =>
      db.transaction(async (tx) => {
        const row = await lockServer(tx, { actor, id, act: 'rescue' }, deps)
        const iso = await rescueOf(tx, row)
        if (!iso) {
          const why = 'There is no rescue system here yet. Ask the operator for one.'
          throw new AppError('INVALID_STATE', why)
        }
        const cd: Cd = { kind: 'rescue', cdName: iso.name, volume: iso.volume, own: null }
        return await begin(tx, actor, { row, cd })
      }),

    endRescue: (actor: Actor, id: number) => end(actor, id, 'rescue'),
  }
}
