import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { addresses } from '../../db/schema/addresses.ts'
import { orders } from '../../db/schema/sales.ts'
import { byHand } from '../../provisioning/testing/by-hand.ts'
import { endGrace } from '../../provisioning/testing/grace.ts'
import { openReinstalls } from '../../provisioning/testing/reinstalls.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { usePool } from '../../testing/with-sim.ts'

const RANGE = { first: '203.0.113.200', last: '203.0.113.202' }

describe.each(BOTH_DATABASES)('the address of a server, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ database, sim: true, clock })
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()
  await usePool(t.deps, t.cluster, { ranges: [RANGE] })
  const plan = await shop.admin.call(api.packages.create, {
    body: {
      name: 'Small',
      cpu: '1 CPU',
      ram: '1 GB RAM',
      storage: '20 GB SSD',
      price: 6,
      osOptions: ['Debian 12'],
    },
  })
  const of = async (address: string | null) => {
    const here = eq(addresses.clusterId, t.cluster.id)
    const [row] = await t.db
      .select()
      .from(addresses)
      .where(and(here, eq(addresses.address, address ?? '')))
    return row
  }
  const order = async () => {
    const buyer = await t.make.client()
    const body = { packageId: plan.id, osType: 'Debian 12' }
    const placed = await t.as(buyer).call(api.billing.order, { body })
    const row = await shop.orderRow(placed.order.id)
    const token = row.tokenId === null ? undefined : await shop.tokenRow(row.tokenId)
    return { buyer, row, token, address: token?.ipAddress ?? null }
  }

  const graceEnds = (tokenId: number) => endGrace(t, hand, tokenId)

  test('is held by the order, used by the server, and rests after its end', async () => {
    const { row, token, address } = await order()
    expect(address).toBe(RANGE.first)
    expect(await of(address)).toMatchObject({ state: 'held', tokenId: token?.id })
    await hand.run(row.jobId ?? '')
    const { assignedInstanceId, proxmoxVmId } = await shop.tokenRow(token?.id ?? 0)
    expect(await of(address)).toMatchObject({
      state: 'used',
      tokenId: token?.id,
      instanceId: assignedInstanceId,
    })
    const params = { id: assignedInstanceId ?? 0 }
    const body = { refund: 'none', confirm: String(proxmoxVmId) } as const
    await shop.admin.call(api.instances.end, { params, body })
    await hand.runAll()
    expect(await of(address)).toMatchObject({ state: 'used' })
    // The VM is kept for the grace period, and its address with it.
    await graceEnds(token?.id ?? 0)
    expect(await of(address)).toMatchObject({ state: 'cooling', instanceId: null })
    const next = await order()
    expect(next.address).not.toBe(address)
    await hand.run(next.row.jobId ?? '')
    clock.advance(DAY_MS)
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    const again = await order()
    expect(again.address).toBe(address)
    await hand.run(again.row.jobId ?? '')
  })

  test('is free again at once if the server cannot be made', async () => {
    const message = 'Permission check failed (/storage/ceph-vm, Datastore.AllocateSpace)'
    t.sim.faults.add({ kind: '403', count: 1, message, path: '/clone$', method: 'POST' })
    const { row, token, address } = await order()
    expect(await of(address)).toMatchObject({ state: 'held', tokenId: token?.id })
    await hand.run(row.jobId ?? '')
    expect(await shop.orderRow(row.id)).toMatchObject({ status: 'paid' })
    expect(await of(address)).toMatchObject({ state: 'free', tokenId: null })
    await shop.admin.call(api.orders.update, {
      params: { id: row.id },
      body: { status: 'cancelled' },
    })
  })

  test('stays held while a job that was killed waits to go on', async () => {
    const { row, token, address } = await order()
    t.sim.faults.add({ kind: 'refuse' })
    await expect(hand.run(row.jobId ?? '')).rejects.toThrow()
    t.sim.faults.clear()
    await t.deps.sync.now(t.cluster.id)
    expect(await of(address)).toMatchObject({ state: 'held', tokenId: token?.id })
    await hand.runToEnd(row.jobId ?? '')
    expect(await of(address)).toMatchObject({ state: 'used', tokenId: token?.id })
  })

  test('is missing where all are taken: the order waits for an operator', async () => {
    let last = await order()
    for (let n = 0; n < 3 && last.token; n += 1) last = await order()
    expect(last.token).toBeUndefined()
    const [row] = await t.db.select().from(orders).where(eq(orders.id, last.row.id))
    expect(row).toMatchObject({
      status: 'paid',
      failureDetail: 'No free address is left in the cluster.',
    })
  })
})

test('a reinstalled server, and one that is handed over, keeps its address', async () => {
  const t = await testApp({ sim: true })
  const reinstalls = await openReinstalls(t)
  const server = await reinstalls.server()
  const rows = () => t.db.select().from(addresses).where(eq(addresses.tokenId, server.tokenId))
  const before = await rows()
  expect(before).toMatchObject([{ state: 'used', instanceId: server.id }])
  expect((await reinstalls.ask(server.user, server)).status).toBe(202)
  await reinstalls.hand.runAll()
  expect(await rows()).toEqual(before)
  const params = { id: server.id }
  const { code } = await t.as(server.user).call(api.servers.offer, { params })
  const other = await t.make.client()
  await t.as(other).call(api.client.takeOver, { params: { code }, body: {} })
  expect(await rows()).toEqual(before)
})
