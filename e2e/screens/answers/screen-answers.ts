import type { Attention, Job, Removal } from '#shared/api/overview/dashboard.ts'
import type { DeletionPreview } from '#shared/api/people/account.ts'
import type { Examination } from '#shared/api/servers/clusters.ts'
import type { EndPreview } from '#shared/api/servers/instances.ts'
import { DAY_MS, HOUR_MS, inMs, LONG_NAME } from './screen-times.ts'

// States that the demo does not reach by itself. The browser gets these answers instead of the
// server's; they have the contract's types, so that a change of the contract fails here.

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

export const WITH_MONEY: DeletionPreview = {
  servers: 2,
  keptDays: 7,
  credit: '14.50',
  openOrders: 1,
}
