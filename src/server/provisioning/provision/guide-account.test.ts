import { describe, expect, test } from 'vitest'
import { testApp } from '../../testing/test-app.ts'
import { answersBySsh } from '../testing/answers.ts'
import { actorOf, byHand } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

/** Permissions on a pool only, set by the exact commands of the operator guide. */
describe.each(['8.4', '9.1'] as const)(
  'with the account of the operator guide on Proxmox VE %s',
  async (version) => {
    const t = await testApp({ sim: { version }, account: 'guide' })
    const shop = await openShop(t)
    const hand = byHand(t)
    // Only 9.x lets the account ask agents.
    const answeredBy = version === '8.4' ? 'ssh' : 'agent'
    const bySsh = await answersBySsh(t)

    const buy = async () => {
      const token = await shop.token()
      const buyer = await t.make.client()
      return await hand.sales.claim(actorOf(buyer), token.tokenId, 'purchase')
    }

    test('a server is sold, because an id that answers 403 is treated as free', async () => {
      const { jobId, order } = await buy()
      await hand.run(jobId, bySsh)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect(await shop.orderRow(order.id)).toMatchObject({ status: 'active', answeredBy })
      const [made] = shop.made()
      expect(t.sim.state.pools.get('hushbox')?.vms).toContain(made?.vmid)
    })

    test('an id of a VM outside the pool is skipped, and that VM is left alone', async () => {
      const { jobId } = await buy()
      const free = Math.max(...shop.made().map(({ vmid }) => vmid)) + 1
      const theirs = structuredClone(t.sim.state.vms.get(100))
      if (!theirs) throw new Error('the demo has no VM 100')
      t.sim.state.vms.set(free, { ...theirs, vmid: free })
      await hand.run(jobId, bySsh)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect(t.sim.state.vms.get(free)?.config).toEqual(theirs.config)
      t.sim.state.vms.delete(free)
    })

    test('a failed sale is undone although its VM never existed', async () => {
      const { jobId, order, token } = await buy()
      const message = 'Permission check failed (/storage/ceph-vm, Datastore.AllocateSpace)'
      t.sim.faults.add({ kind: '403', count: 1, message, path: '/clone$', method: 'POST' })
      await hand.run(jobId)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
      expect(await shop.orderRow(order.id)).toMatchObject({ status: 'paid' })
      expect(await shop.instancesOf(token.id)).toEqual([])
    })

    test('a clone that answers 403 while it is being created is awaited, not created twice', async () => {
      const { jobId } = await buy()
      const before = shop.made().length
      t.sim.faults.add({ kind: 'reset', count: 1, path: '/clone$', method: 'POST' })
      await hand.runToEnd(jobId, { bend: bySsh })
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect(shop.made()).toHaveLength(before + 1)
    })

    test('a clone whose worker died fails at once, with few requests', async () => {
      const { jobId, order, token } = await buy()
      const asked = t.sim.requests.length
      t.sim.faults.add({ kind: 'worker-dies', count: 1, path: '/clone$', method: 'POST' })
      await hand.run(jobId)
      expect(await shop.jobRow(jobId)).toMatchObject({
        state: 'failed',
        failure: { code: 'CLUSTER_REFUSED' },
      })
      expect(t.sim.requests.length - asked).toBeLessThan(40)
      expect(await shop.orderRow(order.id)).toMatchObject({ status: 'paid' })
      expect(await shop.instancesOf(token.id)).toEqual([])
    })
  },
)
