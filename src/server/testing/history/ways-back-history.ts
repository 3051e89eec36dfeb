import { eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { backupSchedules, backups } from '../../db/schema/snapshots.ts'
import { ownIsos } from '../../db/schema/stock.ts'
import { allowBackups } from '../../provisioning/testing/backups.ts'
import type { Shop } from '../../provisioning/testing/shop.ts'
import type { Person, TestApp } from '../test-app.ts'
import type { HandRun } from './hand-run.ts'

type Owner = { client: Person }
type Call = () => Promise<unknown>

async function serverOf(t: TestApp, { client }: Owner) {
  const [server] = await t.as(client).call(api.client.instances)
  return { params: { id: server?.id ?? 0 }, me: t.as(client) }
}

/** Two servers with snapshots: one is there, one is being taken, one is being deleted. */
export async function withSnapshots({ t, ...hand }: HandRun, owners: readonly Owner[]) {
  const calls = owners.map(async (owner) => {
    const { params, me } = await serverOf(t, owner)
    const take = () => me.call(api.snapshots.take, { params, body: {} })
    const remove = async () => {
      const { snapshots } = await me.call(api.snapshots.list, { params })
      const snapshotId = snapshots[0]?.id ?? 0
      return me.call(api.snapshots.remove, { params: { ...params, snapshotId } })
    }
    return { take, remove }
  })
  return await oneOfEachState(hand, await Promise.all(calls))
}

/**
 * Two servers with backups: one is there, one is being made, one is being deleted. The first has one
 * from the end of a term that was renewed, the second one of its schedule.
 */
export async function withBackups({ t, ...hand }: HandRun, shop: Shop, owners: readonly Owner[]) {
  const calls: { take: Call; remove: Call }[] = []
  for (const owner of owners) {
    const { params, me } = await serverOf(t, owner)
    await allowBackups(t.db, shop, params.id)
    const take = () => me.call(api.backups.make, { params, body: {} })
    const remove = async () => {
      const { backups: made } = await me.call(api.backups.list, { params })
      const backupId = made.find(({ origin }) => origin === 'hand')?.id ?? 0
      return me.call(api.backups.remove, { params: { ...params, backupId } })
    }
    calls.push({ take, remove })
  }
  const begin = await oneOfEachState(hand, calls)
  const [renewed, scheduled] = owners
  if (!renewed || !scheduled) throw new Error('two servers are needed')
  await asOfItsEnd(t.db, (await serverOf(t, renewed)).params.id)
  await calls[0]?.take()
  await hand.work()
  const { params, me } = await serverOf(t, scheduled)
  const window = { from: 22, hours: 4, weekday: 'Sunday' } as const
  await me.call(api.backups.setSchedule, { params, body: { every: 'week', window, keep: 1 } })
  const isIt = eq(backupSchedules.instanceId, params.id)
  await t.db.update(backupSchedules).set({ dueAt: t.deps.clock.now() }).where(isIt)
  await hand.scheduleSweep()
  await hand.work()
  await hand.scheduleSweep()
  return begin
}

/** As if its term had ended before it was renewed: the sweep would wait for weeks. */
const asOfItsEnd = (db: TestApp['db'], instanceId: number) =>
  db.update(backups).set({ origin: 'end' }).where(eq(backups.instanceId, instanceId))

/** What it returns begins the jobs that are under way when the backup is made. */
async function oneOfEachState(
  hand: Pick<HandRun, 'work'>,
  [stays, goes]: { take: Call; remove: Call }[],
): Promise<() => Promise<void>> {
  await stays?.take()
  await goes?.take()
  await hand.work()
  return async () => {
    await stays?.take()
    await goes?.remove()
  }
}

/** A server started from a CD of the house, with an image of its client's own beside it. */
export async function withCds({ t, ...hand }: HandRun, { admin, node }: Shop, owner: Owner) {
  const { clusterId } = node
  const [found] = await admin.call(api.isos.volumes, { params: { id: clusterId } })
  const offer = { clusterId, volume: found?.volume ?? '', name: 'Debian 12' }
  const { id: isoId } = await admin.call(api.isos.create, { body: offer })
  const { params, me } = await serverOf(t, owner)
  await me.call(api.cds.insert, { params, body: { isoId } })
  await hand.work()
  // Downloaded from the internet, which no test does.
  await t.db.insert(ownIsos).values({
    clusterId,
    instanceId: params.id,
    node: node.name,
    volume: 'local:iso/own-1.iso',
    url: 'https://images.example/own.iso',
    sha256: '0'.repeat(64),
    expiresAt: new Date(t.deps.clock.now().getTime() + DAY_MS),
  })
}
