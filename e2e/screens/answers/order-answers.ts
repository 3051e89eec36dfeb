import type { Payment } from '#shared/api/money/payments.ts'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { Candidate, Order, OrderDetails, OrderWishes } from '#shared/api/shop/orders.ts'
import { DAY_MS, HOUR_MS, inMs, LONG_NAME } from './screen-times.ts'

// Orders and payments in states that the demo does not reach by itself.

export const payment = (values: Partial<Payment>): Payment => ({
  id: 1,
  orderId: 9001,
  provider: 'btcpay',
  amount: '12.00',
  received: '0.00',
  refunded: '0.00',
  seen: '0.00',
  currency: 'USD',
  status: 'pending',
  createdAt: inMs(-HOUR_MS),
  updatedAt: inMs(-HOUR_MS),
  ...values,
})

const PARTLY_PAID = payment({ seen: '5.00', received: '5.00' })
const REFUNDED = payment({
  id: 2,
  provider: 'stripe',
  received: '12.00',
  seen: '12.00',
  refunded: '12.00',
  status: 'refunded',
})

export const order = (values: Partial<Order>): Order => ({
  id: 9001,
  planName: LONG_NAME,
  osType: 'Debian 12',
  amount: '15.00',
  coupon: null,
  discount: '0.00',
  currency: 'USD',
  months: 1,
  status: 'pending',
  createdAt: inMs(-HOUR_MS),
  trialEndsAt: null,
  assignedNodeId: null,
  assignedVmId: null,
  kind: 'purchase',
  credit: '3.00',
  payBy: inMs(HOUR_MS / 2),
  failure: null,
  server: null,
  userId: 7,
  clientName: '4821907',
  planId: null,
  tokenId: 5,
  instanceId: null,
  nextBillingAt: null,
  isDisputed: false,
  updatedAt: inMs(-HOUR_MS),
  beganAt: null,
  answer: null,
  ...values,
})

export const ORDERS: Order[] = [
  order({ status: 'paid', failure: 'No node has room for it. Add memory or free an address.' }),
  order({ id: 9002, planName: 'Small', kind: 'package', credit: '0.00', amount: '6.00' }),
  order({
    ...{ id: 9003, planName: 'Medium', kind: 'package', status: 'active', server: 'current' },
    ...{
      credit: '0.00',
      assignedVmId: 10_003,
      instanceId: 3,
      nextBillingAt: inMs(20 * DAY_MS),
      isDisputed: true,
    },
  }),
  order({ id: 9004, planName: 'Large', status: 'active', server: 'ended', clientName: null }),
  order({ id: 9005, planName: 'Small', status: 'cancelled', kind: 'renewal', credit: '0.00' }),
]

const key = (name: string | null, fingerprint: string, publicKey: string) => ({
  name,
  fingerprint,
  publicKey,
})

const WISHES: OrderWishes = {
  label: 'The shop',
  hostname: 'shop-1',
  sshKeys: [
    key(
      'The laptop at home',
      'SHA256:wNj5LpkDMOmZ8wSvLH8fVXlBKPr3zqAzjQJRr6kU5F0',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDaPV/0bkMlIWBbwuRP1MCSyK94UdoGHyS2F7B4ZBRLt',
    ),
    key(
      null,
      'SHA256:0aU5Bkl7a0cT1nUp3mZ8wSvLH8fVXlBKPr3zqAzjQJR',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBkMlIWBbwuRP1MCSyK94UdoGHyS2F7B4ZBRLtDaPV0b',
    ),
  ],
  userData: { bytes: 1843 },
}

export const DETAILS: OrderDetails = {
  order: order({ status: 'cancelled' }),
  wishes: null,
  payments: [PARTLY_PAID, REFUNDED],
  timeline: [
    ['order.create', 'client'],
    ['order.paid', 'system'],
    ['order.dispute-open', 'system'],
    ['order.dispute-lost', 'system'],
    ['order.cancel', 'admin'],
    ['order.refunded', 'system'],
  ].map(([action = '', by], index) => ({
    id: index + 1,
    at: inMs((index - 6) * HOUR_MS),
    action,
    by: by as OrderDetails['timeline'][number]['by'],
  })),
  refundable: { amount: '0.00', byProvider: false },
}

/** Paid, not made automatically, and with choices that a VM given by hand does not get. */
export const ASKED_FOR_MORE: OrderDetails = {
  ...DETAILS,
  order: order({ status: 'paid' }),
  wishes: WISHES,
  payments: [],
  timeline: DETAILS.timeline.slice(0, 2),
}

/** The same order after a VM was given to it: its script is erased. */
export const GIVEN_BY_HAND: OrderDetails = {
  ...ASKED_FOR_MORE,
  order: order({ status: 'active', assignedVmId: 104, server: 'current', instanceId: 3 }),
  wishes: { ...WISHES, userData: null },
  timeline: [
    ...ASKED_FOR_MORE.timeline,
    {
      ...{ id: 3, at: inMs(-HOUR_MS), action: 'order.provision', by: 'you' },
      notApplied: ['hostname', 'sshKeys', 'userData'],
    },
  ],
}

export const HALF_PAID: ClientOrderDetails = {
  order: order({}),
  serverId: null,
  jobId: null,
  payments: [PARTLY_PAID],
  receipts: [],
  timeline: [{ id: 1, at: inMs(-HOUR_MS), action: 'order.create', by: 'you' }],
  checkout: {
    state: 'pending',
    due: '12.00',
    seen: '5.00',
    left: '7.00',
    provider: 'btcpay',
    way: null,
    instructions: null,
    url: 'https://pay.example.test/i/1',
    expiresAt: inMs(HOUR_MS / 2),
    methods: [
      {
        id: 'BTC-CHAIN',
        name: 'Bitcoin',
        destination: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
        paymentLink: 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.00014',
        due: '0.00014000',
      },
    ],
    progress: null,
  },
}

const BOLT11 =
  'lnbc140u1p5qxkfapp5m4xw0zkk9ezq0hfhw6gdqzq4wdyl3mrgrtzcz9nq2v6l7dt0s3asdq8w3jhxaqcqzzsxqyz5vqsp5usyc4lk9chsfp53kvcnvq456ganh60d89reykdngsmtj6yw3nhvq9qyyssqjcewm5cjwz4a6rfjx77c490yced6pemk0upkxhy89cmm7sct66k8gneanwykzgdrwrfje69h9u5u0w57rrcsysas7gadwmzxc8c6t0spjazup6'

export const BY_LIGHTNING: ClientOrderDetails = {
  ...HALF_PAID,
  payments: [],
  checkout: HALF_PAID.checkout && {
    ...HALF_PAID.checkout,
    ...{ way: 'lightning', seen: '0.00', left: HALF_PAID.checkout.due },
    methods: [
      {
        id: 'BTC-LN',
        name: 'Bitcoin Lightning',
        destination: BOLT11,
        paymentLink: `lightning:${BOLT11}`,
        due: '24000 sats',
      },
    ],
  },
}

export const REFUNDED_ORDER: ClientOrderDetails = {
  ...{ ...HALF_PAID, order: order({ status: 'cancelled', payBy: null }) },
  payments: [REFUNDED],
  checkout: null,
}

/** As its client sees it. */
export const MINE_BY_HAND: ClientOrderDetails = {
  ...{ ...REFUNDED_ORDER, order: GIVEN_BY_HAND.order, serverId: 3 },
  payments: [payment({ received: '12.00', status: 'paid' })],
  timeline: GIVEN_BY_HAND.timeline.map((event) => ({
    ...event,
    by: event.by === 'you' ? 'admin' : event.by === 'client' ? 'you' : event.by,
  })),
}

export const CANDIDATES: Candidate[] = [
  {
    ...{ vmId: 10_007, name: 'spare', status: 'stopped', isOurs: true },
    ...{ size: '2 CPU, 4 GB RAM, 80 GB disk', shortfall: null },
  },
  {
    ...{ vmId: 104, name: 'mail', status: 'running', isOurs: false },
    ...{ size: '1 CPU, 2 GB RAM, 20 GB disk', shortfall: '1 CPU instead of 2' },
  },
]
