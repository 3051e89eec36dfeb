import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { HALF_PAID, REFUNDED_ORDER } from './order-answers.ts'

// A payment in Monero in each of its states, which the demo does not take.

const ADDRESS =
  '84meRhR38EXWmAKxudk9DT87C95Y9RaAhaFu9a4feys4huiQsbYJdwdUdFPw4L3BECSWkJU2J73nV4L8VuBxoSGY7KMh6r5'

type Checkout = NonNullable<ClientOrderDetails['checkout']>

const byMonero = (values: Partial<Checkout>): ClientOrderDetails => ({
  ...HALF_PAID,
  order: { ...HALF_PAID.order, amount: '48.00', credit: '0.00' },
  payments: [],
  checkout: {
    ...{ state: 'pending', due: '48.00', seen: '0.00', left: '48.00' },
    ...{ provider: 'monero', way: 'monero', instructions: null, url: null },
    expiresAt: new Date(Date.now() + 20 * 60_000).toISOString(),
    methods: methodsFor('0.320000'),
    progress: null,
    ...values,
  },
})

const methodsFor = (xmr: string): Checkout['methods'] => [
  {
    id: 'XMR',
    name: 'Monero',
    destination: ADDRESS,
    paymentLink: `monero:${ADDRESS}?tx_amount=${xmr}`,
    due: `${xmr} XMR`,
  },
]

export const MONERO_WAITING = byMonero({})

export const MONERO_SHORT = byMonero({
  ...{ state: 'confirming', seen: '30.00', left: '18.00', methods: methodsFor('0.120000') },
  progress: { confirmations: 1, needed: 3 },
})

export const MONERO_CONFIRMING = byMonero({
  ...{ state: 'confirming', seen: '48.00', left: '0.00', methods: [] },
  progress: { confirmations: 1, needed: 3 },
})

/** Seen after the time was over, and not final yet. */
export const MONERO_LATE: ClientOrderDetails = {
  ...REFUNDED_ORDER,
  payments: HALF_PAID.payments.map((payment) => ({
    ...payment,
    ...{ provider: 'monero', amount: '48.00', seen: '48.00', received: '0.00', status: 'expired' },
  })),
}
