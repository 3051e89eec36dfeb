import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, broken, twice } from '../testing/by-hand.ts'
import type { SoldServer } from '../testing/reinstalls.ts'
import { openSnapshots } from '../testing/snapshots.ts'

const SOON = { timeout: 60_000, interval: 50 }

const GIB = 1024 ** 3

describe.each(BOTH_DATABASES)('a snapshot on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openSnapshots(t)

  test('is taken while the server runs, and listed with its quota and its end', async () => {
    const server = await our.server()
    const { status, body } = await our.askTake(server.user, server, { name: 'Before 5.0', days: 3 })
    expect(status).toBe(202)
    expect((await our.row(server)).status).toBe('updating')
    await hand.run(body.jobId)
    const [row] = await our.rows(server)
    expect(row).toMatchObject({ state: 'ready', osType: 'Debian 12', username: 'root' })
    expect(our.inCluster(server)).toEqual([row?.vmSnapshot])
    expect(our.vmOf(server).qmp).toBe('running')
    expect((await our.row(server)).status).toBe('running')
    expect(await our.list(server)).toEqual({
      snapshots: [
        {
          id: row?.id,
          name: 'Before 5.0',
          state: 'ready',
          osType: 'Debian 12',
          takenAt: clock.now().toISOString(),
          expiresAt: new Date(clock.now().getTime() + 3 * DAY_MS).toISOString(),
          isOldDisk: false,
          removes: [],
        },
      ],
      others: [],
      quota: { used: 1, most: 2 },
      longestDays: 7,
      refusal: null,
      confirm: String(server.vmId),
    })
  })

  test('with every step run twice is one', async () => {
    const server = await our.server()
    const { body } = await our.askTake(server.user, server)
    await hand.run(body.jobId, twice)
    expect(our.inCluster(server)).toHaveLength(1)
    const [row] = await our.rows(server)
    const jobId = await our.beginDelete(server, row?.id ?? 0)
    await hand.run(jobId, twice)
    expect(our.inCluster(server)).toEqual([])
    expect(await our.rows(server)).toEqual([])
    expect((await our.row(server)).status).toBe('running')
  })

  test.each(['claim', 'take', 'commit'])(
    'that fails for good at %s leaves nothing',
    async (step) => {
      const server = await our.server()
      const { body } = await our.askTake(server.user, server)
      await hand.run(body.jobId, broken(step))
      expect(await shop.jobRow(body.jobId)).toMatchObject({
        state: 'failed',
        failure: { publicMessage: 'The snapshot could not be taken. The server is as it was.' },
      })
      expect(our.inCluster(server)).toEqual([])
      expect(await our.rows(server)).toEqual([])
      expect((await our.row(server)).status).toBe('running')
    },
  )

  test('is taken once although its task, its answer or its worker was lost', async () => {
    const server = await our.server()
    const path = `/qemu/${server.vmId}/snapshot`
    for (const kind of ['task-lost', 'reset', '596'] as const) {
      t.sim.faults.add({ kind, method: 'POST', path, count: 1 })
      const row = await our.take(server)
      t.sim.faults.clear()
      expect(our.inCluster(server)).toEqual([row.vmSnapshot])
      await hand.runToEnd(await our.beginDelete(server, row.id))
    }
  })

  test('is taken within the quota of the package, and for its days', async () => {
    const server = await our.server()
    await grant(server, { snapshotQuota: 1, snapshotDays: 2 })
    expect(await our.askTake(server.user, server, { days: 3 })).toMatchObject({
      status: 400,
      body: { message: 'A snapshot of this server is kept for at most 2 days.' },
    })
    await our.take(server)
    expect(await our.askTake(server.user, server)).toMatchObject({
      status: 409,
      body: { message: 'The one snapshot of this server is taken. Delete it first.' },
    })
    await grant(server, { snapshotQuota: 0 })
    expect(await our.list(server)).toMatchObject({
      refusal: 'Snapshots are not part of this package.',
      quota: { used: 1, most: 0 },
    })
  })

  test('is taken once by fifty presses at once, and never beyond the quota', async () => {
    const server = await our.server()
    const press = async () => {
      const presses = Array.from({ length: 50 }, () => our.askTake(server.user, server))
      const begun = (await Promise.all(presses)).filter(({ status }) => status === 202)
      expect(begun.length).toBeLessThanOrEqual(1)
      for (const { id } of await hand.waiting()) await hand.runToEnd(id)
      return (await our.rows(server)).length
    }
    // On a busy machine the cluster may answer none of the fifty in time.
    await vi.waitUntil(async () => (await press()) === 1, SOON)
    await vi.waitUntil(async () => (await press()) === 2, SOON)
    expect(await press()).toBe(2)
    expect(our.inCluster(server)).toHaveLength(2)
  })

  test('is refused while less than 15 % of the storage is free', async () => {
    const server = await our.server()
    const storage = storageOf(server)
    const { base } = storage
    storage.base = storage.total * 0.9
    expect(await our.askTake(server.user, server)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('a snapshot needs at least 15 %') },
    })
    expect((await our.list(server)).refusal).toContain('% free')
    // It fills up between the press and the job.
    storage.base = base
    const { body } = await our.askTake(server.user, server)
    storage.base = storage.total * 0.9
    await hand.run(body.jobId)
    storage.base = base
    expect(await shop.jobRow(body.jobId)).toMatchObject({
      state: 'failed',
      failure: { publicMessage: expect.stringContaining('a snapshot needs at least 15 %') },
    })
    expect(await our.rows(server)).toEqual([])
    expect(our.inCluster(server)).toEqual([])
  })

  test('is not taken of a server that is suspended meanwhile', async () => {
    const server = await our.server()
    const { body } = await our.askTake(server.user, server)
    const suspended = () =>
      t.db
        .update(instances)
        .set({ suspendedAt: clock.now(), suspendReason: 'Spam', suspendCause: 'operator' })
        .where(eq(instances.id, server.id))
    await hand.run(body.jobId, asBegins('commit', suspended))
    expect(await shop.jobRow(body.jobId)).toMatchObject({ state: 'failed' })
    expect(our.inCluster(server)).toEqual([])
    expect(await our.askTake(server.user, server)).toMatchObject({
      status: 409,
      body: { message: 'This server is suspended: Spam' },
    })
  })

  test('is its owner’s: another client finds neither it nor the server', async () => {
    const server = await our.server()
    const other = await our.server()
    const row = await our.take(server)
    const stranger = await t.make.client()
    expect((await our.askTake(stranger, server)).status).toBe(404)
    expect((await our.askBack(stranger, server, row.id)).status).toBe(404)
    expect((await our.askDelete(stranger, server, row.id)).status).toBe(404)
    // Nor by the address of a server of one's own.
    expect((await our.askBack(other.user, other, row.id)).status).toBe(404)
    expect((await our.askDelete(other.user, other, row.id)).status).toBe(404)
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('keeps a server from being handed over until it is deleted', async () => {
    const server = await our.server()
    const offer = () => t.as(server.user).attempt(api.servers.offer, { params: { id: server.id } })
    const { status, body } = await offer()
    expect(status).toBe(201)
    const row = await our.take(server)
    const refusal =
      'This server has snapshots, which hold your data. Delete them, then hand it over.'
    expect(await offer()).toMatchObject({ status: 409, body: { message: refusal } })
    // Nor by a code from before it was taken.
    const receiver = t.as(await t.make.client())
    const take = () =>
      receiver.attempt(api.client.takeOver, { params: { code: body.code }, body: {} })
    expect((await take()).status).toBe(422)
    await hand.run(await our.beginDelete(server, row.id))
    expect((await offer()).status).toBe(201)
  })

  /** Gives its package these values, as if it was sold with one. */
  async function grant(
    { tokenId }: SoldServer,
    values: { snapshotQuota?: number; snapshotDays?: number },
  ) {
    const id = `plan-${tokenId}`
    const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
    await t.db
      .insert(packages)
      .values({ id, name: 'Small', ...size, priceCents: 500, osOptions: [], ...values })
      .onConflictDoUpdate({ target: packages.id, set: values })
    await t.db.update(orders).set({ planId: id }).where(eq(orders.tokenId, tokenId))
  }

  function storageOf(server: SoldServer) {
    const [volume = ''] = our.disks(server)
    const storage = t.sim.state.storages.get(volume.split(':')[0] ?? '')
    if (!storage) throw new Error(`no storage of ${volume}`)
    expect(storage.total).toBeGreaterThan(GIB)
    return storage
  }
})
