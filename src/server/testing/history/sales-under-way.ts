import type { Sim } from '#pve-sim/sim.ts'
import { api } from '#shared/api/index.ts'
import type { ClusterRow } from '../../inventory/clusters/cluster-store.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import type { TestApp } from '../test-app.ts'
import type { HandRun } from './hand-run.ts'
import type { PutOnSale, soldForBitcoin } from './sales-history.ts'

type Bitcoin = Awaited<ReturnType<typeof soldForBitcoin>>

export async function freeTrial(hand: HandRun, onSale: PutOnSale) {
  const client = await hand.t.make.client()
  const { tokenId } = await onSale({ monthlyPrice: '0', durationDays: 90 })
  const { order } = await hand.t.as(client).call(api.marketplace.trial, { params: { tokenId } })
  await hand.work()
  return { client, order }
}

/** Its job failed and was undone: nothing of it is left in the cluster, and the money is held. */
export async function failedSale(hand: HandRun, bitcoin: Bitcoin) {
  const { sim } = hand.t as TestApp & { sim: Sim }
  const message = 'Permission check failed (/storage/ceph-vm, Datastore.AllocateSpace)'
  sim.faults.add({ kind: '403', count: 1, message, path: '/clone$', method: 'POST' })
  const sold = await bitcoin.paid()
  sim.faults.clear()
  return sold
}

/** Its job began and waits for the cluster. */
export async function waitingSale(hand: HandRun, bitcoin: Bitcoin) {
  const { sim, cluster } = hand.t as TestApp & { sim: Sim; cluster: ClusterRow }
  const sold = await bitcoin.confirmed()
  const { jobId } = await hand.order(sold.order.id)
  sim.faults.add({ kind: 'refuse' })
  await hand.run(jobId ?? '').catch((error: unknown) => {
    if (!(error instanceof RunAgainError)) throw error
  })
  hand.park(jobId)
  sim.faults.clear()
  await hand.t.deps.hypervisors.of(cluster.id).inventory.refresh()
  return sold
}

export async function queuedSale(hand: HandRun, bitcoin: Bitcoin) {
  const sold = await bitcoin.confirmed()
  hand.park((await hand.order(sold.order.id)).jobId)
  return sold
}
