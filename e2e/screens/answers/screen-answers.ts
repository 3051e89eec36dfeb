import type { Attention, Job, Removal } from '#shared/api/overview/dashboard.ts'
import type { DeletionPreview } from '#shared/api/people/account.ts'
import type { Examination } from '#shared/api/servers/clusters.ts'
import type { EndPreview } from '#shared/api/servers/instances.ts'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { Candidate, Order, OrderDetails } from '#shared/api/shop/orders.ts'
import type { Payment } from '#shared/api/shop/payments.ts'

// States that the demo does not reach by itself. The browser gets these answers instead of the
// server's; they have the contract's types, so that a change of the contract fails here.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

const LONG_NAME = 'Harbour-of-a-name-without-any-space-to-break-at, 2 CPU, 4 GB RAM, 80 GB SSD'

const attention = (kind: string, message: string, tone: Attention['tone'] = 'bad'): Attention => ({
  ...{ kind, tone, message, count: 1 },
  path: '/admin-dashboard',
})

const job = (values: Partial<Job>): Job => ({
  id: '00000000-0000-4000-8000-000000000001',
  kind: 'provision',
  title: `Create ${LONG_NAME}`,
  state: 'undoing',
  step: 'clone',
  progress: 0.4,
  error: 'VM 10023 is locked (clone) on the cluster since 02:10.',
  ownerId: 1,
  isStuck: false,
  startedAt: inMs(-2 * HOUR_MS),
  ...values,
})

const removal = (tokenId: number): Removal => ({
  tokenId,
  name: tokenId === 1 ? LONG_NAME : `Small ${tokenId}, 1 CPU, 1 GB RAM, 20 GB SSD`,
  client: tokenId === 2 ? null : '4821907',
  cluster: 'Demo cluster',
  vmId: 10_000 + tokenId,
  endedAt: inMs(-8 * DAY_MS),
})

export const ATTENTION = {
  '**/api/admin/attention': [
    attention(
      'time-in-doubt',
      'The clock jumped forward by 45 days. Hushbox goes on with the old time.',
    ),
    attention('removals-held', '12 servers wait for you to confirm deletion'),
    attention('jobs-not-undone', '1 failed sale cannot be cleaned up'),
    attention('failed-jobs', '1 job has failed'),
    attention('stuck-jobs', '1 job is still not done after 15 minutes', 'warn'),
    attention('lost-disputes', '1 server is suspended after a lost dispute'),
    attention(
      'certificates-changed',
      'Cluster Demo cluster shows a certificate that nobody has confirmed',
    ),
    attention(
      'ready-without-password',
      '2 ready servers cannot be sold: the account may not set passwords in guests',
      'warn',
    ),
    attention('disputed-payments', '1 payment is disputed by the payer’s bank', 'warn'),
    attention(
      'no-network',
      'Nothing can be sold on cluster Demo cluster: no pool has a range for clients',
      'warn',
    ),
  ],
  '**/api/admin/removals': Array.from({ length: 12 }, (_, index) => removal(index + 1)),
  '**/api/jobs': [
    job({ isStuck: true }),
    job({
      id: '00000000-0000-4000-8000-000000000002',
      state: 'failed',
      error: 'The account lacks Datastore.AllocateSpace on /storage/local-lvm.',
    }),
  ],
} satisfies Record<string, Attention[] | Removal[] | Job[]>

export const MISSING_RIGHTS: Examination = {
  reused: [{ vmId: 10_023, name: 'web', storages: ['store'] }],
  version: '9.2.4',
  missing: [
    {
      path: '/pool/vps',
      privileges: ['VM.Audit', 'VM.Clone', 'VM.Config.CPU', 'VM.Config.Cloudinit', 'VM.PowerMgmt'],
      why: 'to create, configure, start and stop VMs and show their screens',
    },
    {
      path: '/storage/a-storage-with-a-rather-long-name',
      privileges: ['Datastore.AllocateSpace', 'Datastore.Audit'],
      why: 'to put disks on a-storage-with-a-rather-long-name',
    },
  ],
  optional: [
    {
      path: '/pool/vps',
      privileges: ['VM.GuestAgent.Unrestricted'],
      why: 'Without it no password can be set in a guest, so Ready tokens are not sold.',
      commands: [],
    },
  ],
  commands: [
    'pveum role add VpsOperator --privs "VM.Audit VM.Clone VM.Config.CPU VM.Config.Cloudinit VM.PowerMgmt"',
    "pveum acl modify /pool/vps --tokens 'hushbox@pve!panel' --roles VpsOperator",
    "pveum acl modify /storage/a-storage-with-a-rather-long-name --tokens 'hushbox@pve!panel' --roles VpsStorage",
  ],
}

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

export const DETAILS: OrderDetails = {
  order: order({ status: 'cancelled' }),
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

export const HALF_PAID: ClientOrderDetails = {
  order: order({}),
  serverId: null,
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

export const endOf = (values: Partial<EndPreview>): EndPreview => ({
  name: LONG_NAME,
  vmId: 10_004,
  cluster: 'Demo cluster',
  clientName: '4821907',
  paidUntil: inMs(20 * DAY_MS),
  keptUntil: inMs(7 * DAY_MS),
  isComing: false,
  refundable: { amount: '8.00', byProvider: true },
  confirm: '10004',
  ...values,
})

/** The server's answer, but with its servers suspended. */
export const suspended = (list: unknown): unknown =>
  (list as Record<string, unknown>[]).map((one) => ({
    ...one,
    suspended: {
      reason: 'You send spam. Write to us before the end of the week, and we switch it on again.',
      since: inMs(-DAY_MS),
    },
  }))

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

export const WITH_MONEY: DeletionPreview = {
  servers: 2,
  keptDays: 7,
  credit: '14.50',
  openOrders: 1,
}
