import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { actorOf, byHand } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

const GRACE_DAYS = 7

describe.each(EACH_DATABASE)('on %s a VM that existed before us', async (database) => {
  const clock = testClock()
  const env = { GRACE_DAYS: String(GRACE_DAYS) }
  const t = await testApp({ database, sim: true, clock, env })
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()

  /** Everything that must not change: the whole configuration, with card, disks and identity. */
  const machine = (vmId: number) => {
    const vm = t.sim.state.vms.get(vmId)
    return vm && { node: vm.node, config: { ...vm.config }, pending: structuredClone(vm.pending) }
  }
  const look = () => t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  const isOn = (vmId: number) => t.sim.state.vms.get(vmId)?.qmp === 'running'
  const link = async (vmId: number, login: { username?: string; password?: string }) => {
    const user = await t.make.client()
    const values = { planName: 'Small, 1 CPU, 1 GB RAM', amountCents: 500, status: 'paid' as const }
    const [order] = await t.db
      .insert(orders)
      .values({ ...values, userId: user.id })
      .returning()
    const { id, nodeId } = await shop.vm(vmId)
    const body = { assignedNodeId: nodeId, assignedVmId: vmId, ...login }
    const params = { id: order?.id ?? 0 }
    const answer = await shop.admin.attempt(api.orders.update, { params, body })
    return { user, answer, params: { id } }
  }
  /** Runs sweeps through the end of the term and of the grace period. */
  const untilLetGo = async (days: number) => {
    for (const passed of [days, GRACE_DAYS + 1]) {
      await hand.sweep()
      clock.advance(passed * DAY_MS)
      await hand.sweep()
      await hand.runAll()
      await hand.sweep()
      await hand.runAll()
    }
  }

  test('stays unchanged while it is linked, suspended, resumed, ended, released and sold again', async () => {
    const vmId = 101
    const before = machine(vmId)
    const given = { username: 'debian', password: 'set in the guest by its owner' }
    const first = await link(vmId, given)
    expect(first.answer).toMatchObject({ status: 200, body: { status: 'active' } })
    expect(machine(vmId)).toEqual(before)
    const { params } = first

    await shop.admin.call(api.instances.suspend, { params, body: { reason: 'Abuse' } })
    await hand.runAll()
    expect([isOn(vmId), machine(vmId)]).toEqual([false, before])
    await shop.admin.call(api.instances.resume, { params })
    await hand.runAll()
    expect([isOn(vmId), machine(vmId)]).toEqual([true, before])

    const body = { confirm: String(vmId), refund: 'none' as const }
    await shop.admin.call(api.instances.end, { params, body })
    await hand.runAll()
    expect([isOn(vmId), machine(vmId)]).toEqual([false, before])
    await untilLetGo(1)
    expect(await shop.vm(vmId)).toMatchObject({ ownerId: null, tokenId: null, missingSince: null })
    expect(machine(vmId)).toEqual(before)

    const known = await link(vmId, given)
    expect(known.answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/An earlier client of this VM knows/) },
    })
    const second = await link(vmId, { ...given, password: 'another one of its owner’s' })
    expect(second.answer).toMatchObject({ status: 200 })
    expect(machine(vmId)).toEqual(before)
    const seen = await t.as(first.user).attempt(api.instances.status, { params })
    expect(seen.status).toBe(404)
  })

  test('that is sold as it is keeps its card, disk and size, and is not sold twice', async () => {
    const vmId = 102
    const before = machine(vmId)
    const { id: instanceId } = await shop.vm(vmId)
    // The name promises more than the VM has: nothing is resized.
    const name = 'Large 8 CPU 16 GB RAM 500 GB SSD'
    await look()
    const sold = await shop.token({ tokenType: 'ready', instanceId, name, durationDays: 1 })
    const buyer = await t.make.client()
    const { jobId } = await hand.sales.claim(actorOf(buyer), sold.tokenId, 'purchase')
    await hand.runToEnd(jobId)
    const mine = await shop.tokenRow(sold.id)
    expect(mine).toMatchObject({ status: 'assigned', proxmoxVmId: vmId })
    expect(before?.config.net0).toContain(mine.macAddress ?? 'no card')
    expect(machine(vmId)).toEqual(before)

    await untilLetGo(2)
    expect(await shop.tokenRow(sold.id)).toMatchObject({ status: 'cancelled' })
    expect(await shop.vm(vmId)).toMatchObject({ ownerId: null, tokenId: null })
    expect([isOn(vmId), machine(vmId)]).toEqual([false, before])
    const onSale = await t.db.select().from(tokens).where(eq(tokens.instanceId, instanceId))
    expect(onSale.map(({ status }) => status)).toEqual(['cancelled'])
  })

  test('whose sale fails is on sale again, unchanged', async () => {
    const vmId = 100
    const before = machine(vmId)
    const wasOn = isOn(vmId)
    const { id: instanceId } = await shop.vm(vmId)
    await look()
    const token = await shop.token({ tokenType: 'ready', instanceId })
    const buyer = await t.make.client()
    const { jobId } = await hand.sales.claim(actorOf(buyer), token.tokenId, 'purchase')
    await hand.run(jobId, (steps) =>
      steps.map((step) => ({
        ...step,
        run: (context) => {
          if (step.name === 'assign') throw new AppError('NOT_FOUND', 'It is gone.')
          return step.run(context)
        },
      })),
    )
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect(await shop.vm(vmId)).toMatchObject({ ownerId: null, tokenId: token.id })
    expect(machine(vmId)).toEqual(before)
    expect(wasOn ? isOn(vmId) : true).toBe(true)
  })
})
