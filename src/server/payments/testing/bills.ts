import type { Clock } from '../../lib/clock.ts'
import type { Bill } from '../port/payment-provider.ts'

/** Makes bills of five dollars, payable for half an hour, each for a new order. */
export function billsBy(clock: Clock): (values?: Partial<Bill>) => Bill {
  let lastOrder = 0
  return (values = {}) => {
    lastOrder += 1
    return {
      orderId: lastOrder,
      attempt: 1,
      amountCents: 500,
      currency: 'usd',
      description: '2 CPU 4 GB RAM',
      returnUrl: 'https://vps.example/billing/orders/1',
      expiresAt: new Date(clock.now().getTime() + 30 * 60_000),
      ...values,
    }
  }
}
