import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { backupSchedules } from '../../db/schema/snapshots.ts'
import { instances } from '../../db/schema/stock.ts'
import { openBackups } from '../../provisioning/testing/backups.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('the overview of backups on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openBackups(t)
  const overview = () => shop.admin.call(api.backupOverview.get, {})
  const kinds = async () =>
    (await shop.admin.call(api.dashboard.attention, {})).map(({ kind }) => kind)

  test('names what has none for too long, to its client and to operators', async () => {
    const [server, other] = [await our.server(2), await our.server(0)]
    const pageOf = ({ user, id }: typeof server) =>
      t.as(user).call(api.servers.get, { params: { id } })
    clock.advance(11 * DAY_MS)
    expect((await overview()).without).toEqual([])
    clock.advance(DAY_MS)
    expect((await overview()).without).toMatchObject([
      { instanceId: server.id, days: 12, every: 'none' },
    ])
    expect((await pageOf(server)).daysWithoutBackup).toBe(12)
    expect((await pageOf(other)).daysWithoutBackup).toBeNull()
    expect(await kinds()).toContain('backups-late')
    await our.make(server)
    clock.set(new Date())
    expect((await overview()).without).toEqual([])
    expect((await pageOf(server)).daysWithoutBackup).toBeNull()
    expect(await kinds()).not.toContain('backups-late')
  })

  test('names what failed, what is left over, and how much room there is', async () => {
    const server = await our.server(5)
    const row = await our.make(server)
    const params = { id: server.id }
    const body = {
      every: 'day',
      window: { from: 0, hours: 8, weekday: null },
      keep: 4,
    } as const
    await t.as(server.user).call(api.backups.setSchedule, { params, body })
    const why = 'The storage for backups is full.'
    await t.db
      .update(backupSchedules)
      .set({ failedAt: clock.now(), failure: why })
      .where(eq(backupSchedules.instanceId, server.id))
    const now = await overview()
    expect(now.failed).toMatchObject([{ instanceId: server.id, why }])
    expect(await kinds()).toContain('backups-failed')
    const [storage] = now.storages
    expect(storage).toMatchObject({ storage: 'local', fullInDays: null })
    expect(storage?.comingBytes).toBe(4 * (row.sizeBytes ?? 0))
    expect(storage?.totalBytes).toBeGreaterThan(0)
    expect(now.left).toEqual([])

    await t.db.delete(instances).where(eq(instances.id, server.id))
    expect((await overview()).left).toMatchObject([
      { volume: row.volume, vmId: server.vmId, why: null },
    ])
  })

  test('is for operators', async () => {
    const client = t.as(await t.make.client())
    expect((await client.attempt(api.backupOverview.get, {})).status).toBe(403)
  })
})
