import { and, eq, gt } from 'drizzle-orm'
import { OWN_ISO_DAYS } from '#shared/rules/instance/cds.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { ownIsos } from '../../db/schema/stock.ts'
import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import type { Target } from '../hold/held-server.ts'
import { hold, type InsertContext, type InsertInput } from './cd-state.ts'
import type { IsoProbe } from './iso-probe.ts'

type Fetched = { volume: string | null }
export type FetchStep = Step<InsertInput, Fetched>
type Own = NonNullable<InsertInput['own']>
type OwnIsoRow = typeof ownIsos.$inferSelect

/** Has the node download an image of the client's own. Its row is stored before its file exists. */
export function fetchStep(deps: JobDeps, probeIso: IsoProbe): FetchStep {
  const { db, clock } = deps

  const rowsOf = (instanceId: number) =>
    db.select().from(ownIsos).where(eq(ownIsos.instanceId, instanceId))

  /** A server has one at a time: the former one makes room first. */
  const dropOthers = async ({ hypervisor, instance }: Target, keep: OwnIsoRow) => {
    for (const row of await rowsOf(instance.id)) {
      if (row.id === keep.id) continue
      await hypervisor.removeIso(row)
      await db.delete(ownIsos).where(eq(ownIsos.id, row.id))
    }
  }

  const reserve = async (target: Target, { url, sha256, file }: Own): Promise<OwnIsoRow> => {
    const { instance, hypervisor, vm } = target
    const { node, storage } = await hypervisor.ownIsoStore(vm)
    const now = clock.now()
    const isSame = and(
      eq(ownIsos.instanceId, instance.id),
      eq(ownIsos.url, url),
      eq(ownIsos.sha256, sha256),
      eq(ownIsos.node, node),
      gt(ownIsos.expiresAt, now),
    )
    const [known] = await db.select().from(ownIsos).where(isSame)
    if (known) return known
    const [row] = await db
      .insert(ownIsos)
      .values({
        clusterId: instance.clusterId,
        instanceId: instance.id,
        node,
        volume: `${storage}:iso/${file}`,
        url,
        sha256,
        createdAt: now,
        expiresAt: new Date(now.getTime() + OWN_ISO_DAYS * DAY_MS),
      })
      .returning()
    if (!row) throw new Error('the image was not stored')
    return row
  }

  const run = async ({ input }: InsertContext): Promise<Fetched> => {
    const { own } = input
    if (own === null) return { volume: null }
    const target = await hold.targetOf(deps, input)
    // Once more, right before the node asks: the name may lead elsewhere by now.
    await probeIso(own.url)
    const row = await reserve(target, own)
    await dropOthers(target, row)
    await target.hypervisor.downloadIso(row, own)
    return { volume: row.volume }
  }

  /** Its file goes with the next sweep. */
  const undo = async ({ input }: InsertContext) => {
    if (input.own === null) return
    const isIts = eq(ownIsos.instanceId, input.instanceId)
    await db.update(ownIsos).set({ expiresAt: clock.now() }).where(isIts)
  }

  return { name: 'fetch', run, undo }
}
