import type { MoneroStandIn } from '../../payments/testing/monero/monero-stand-in.ts'
import type { HandRun } from './hand-run.ts'
import { claim, type PutOnSale } from './sales-history.ts'

/** What five dollars are at the rate of the stand-in. */
const FIVE_DOLLARS = 33_334_000_000n

/** Monero: paid, seen but not final, and not paid at all. */
export async function soldForMonero(hand: HandRun, monero: MoneroStandIn, onSale: PutOnSale) {
  const sale = async () => {
    const sold = await claim(hand, onSale, { durationDays: 90 })
    const { providerPaymentId: address } = await hand.paymentOf(sold.order.id)
    return { ...sold, address }
  }
  const paid = await sale()
  await monero.pay(paid.address, FIVE_DOLLARS)
  await monero.mine(1)
  await hand.poll()
  await hand.work()
  const seen = await sale()
  await monero.pay(seen.address, FIVE_DOLLARS)
  await hand.poll()
  return { paid, seen, open: await sale() }
}
