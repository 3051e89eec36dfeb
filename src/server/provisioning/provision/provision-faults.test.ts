import { describe, expect, test } from 'vitest'
import type { Fault, FaultKind } from '#pve-sim/faults/fault-board.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { COULD_NOT } from '../../jobs/public-failure.ts'
import { heldIn } from '../../ledger/ledger.ts'
import { testApp } from '../../testing/test-app.ts'
import { actorOf, byHand } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

/** The changing call of each step. */
const CALLS: Record<string, Pick<Fault, 'path' | 'method'>> = {
  'vm-id': { path: '/cluster/nextid', method: 'GET' },
  clone: { path: '/clone$', method: 'POST' },
  configure: { path: '/config$', method: 'POST' },
  resize: { path: '/resize$', method: 'PUT' },
  start: { path: '/status/start$', method: 'POST' },
  wait: { path: '/agent/', method: 'GET' },
}

/** Temporary faults, including those that lose the answer after the change. */
const PASSING: FaultKind[] = ['reset', 'truncate', '596', '595', '502', 'html-500', '429', 'refuse']
/** After these faults the client spends seconds checking whether the clone was made. */
const SLOW_FOR_CLONES: FaultKind[] = ['502', 'html-500', '429', 'refuse']

const CASES = Object.keys(CALLS).flatMap((step) =>
  PASSING.filter((kind) => step !== 'clone' || !SLOW_FOR_CLONES.includes(kind)).map(
    (kind) => [kind, step] as const,
  ),
)

describe('a cluster with intermittent faults', async () => {
  const t = await testApp({ sim: true })
  const shop = await openShop(t)
  const hand = byHand(t)

  const buy = async () => {
    const token = await shop.token()
    const buyer = await t.make.client()
    const sale = await hand.sales.claim(actorOf(buyer), token.tokenId, 'purchase')
    return { ...sale, token, before: shop.made().length }
  }

  const heal = async () => {
    t.sim.faults.clear()
    // The next poll notices that the cluster is back.
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  }

  test.each(CASES)('%s in %s still results in exactly one server', async (kind, step) => {
    const { token, jobId, order, before } = await buy()
    t.sim.faults.add({ kind, count: 1, ...CALLS[step] })
    await hand.runToEnd(jobId)
    await heal()
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(await shop.orderRow(order.id)).toMatchObject({ status: 'active', answeredBy: 'agent' })
    expect(await heldIn(t.db, 'earned', order.id)).toBe(500)
    expect(await shop.instancesOf(token.id)).toHaveLength(1)
    expect(shop.made()).toHaveLength(before + 1)
  })

  test.each(['clone', 'configure', 'resize', 'start'])(
    'a failed task of %s leaves nothing behind and can be retried',
    async (step) => {
      const { token, jobId, order, before } = await buy()
      t.sim.faults.add({ kind: 'task-error', count: 1, message: 'no space left', ...CALLS[step] })
      await hand.runToEnd(jobId)
      await heal()
      const failed = (await shop.jobRow(jobId)).state === 'failed'
      if (failed) {
        expect(await shop.orderRow(order.id)).toMatchObject({ status: 'paid' })
        expect(await shop.instancesOf(token.id)).toEqual([])
        expect(shop.made()).toHaveLength(before)
        await hand.retry(jobId)
        await hand.runToEnd(jobId)
      }
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect(shop.made()).toHaveLength(before + 1)
    },
  )

  test('a missing permission fails the sale at once, and the error names it', async () => {
    const { jobId, order, before } = await buy()
    const message = 'Permission check failed (/storage/ceph-vm, Datastore.AllocateSpace)'
    t.sim.faults.add({ kind: '403', count: 1, message, ...CALLS.clone })
    await hand.runToEnd(jobId)
    await heal()
    const { failure, failureDetail } = await shop.orderRow(order.id)
    expect(failureDetail).toContain('Datastore.AllocateSpace')
    expect(failure).toBe(COULD_NOT)
    expect(shop.made()).toHaveLength(before)
  })

  test('a clone whose task is lost is found by its marker', async () => {
    const { jobId, before } = await buy()
    t.sim.faults.add({ kind: 'task-lost', count: 1, ...CALLS.clone })
    await hand.runToEnd(jobId)
    await heal()
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(shop.made()).toHaveLength(before + 1)
  })

  test('an unreachable cluster only delays the sale', async () => {
    const { jobId, before } = await buy()
    t.sim.faults.add({ kind: 'refuse' })
    await expect(hand.run(jobId)).rejects.toThrow(RunAgainError)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'waiting' })
    await heal()
    await hand.runToEnd(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(shop.made()).toHaveLength(before + 1)
  })
})
