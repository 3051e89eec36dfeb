import type { Server } from '#shared/api/overview/servers.ts'
import { possibleActs, type ServerFacts } from '#shared/rules/instance/server-acts.ts'
import type { Answers } from '../../acts/network.ts'
import { TRAFFIC } from './traffic-answers.ts'

// Every state of the page of a server. Its answers have the contract's types, and what can be done
// in a state is what the product's own rule says.

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()
export const PATH = '/servers/7'
export const LONG_LABEL = 'Harbour-of-a-name-without-any-space-to-break-at'

const SERVER: Omit<Server, 'can'> = {
  id: 7,
  label: LONG_LABEL,
  name: 'Harbour, 2 CPU, 4 GB RAM, 80 GB SSD',
  hostname: 'harbour-1',
  status: 'running',
  failure: null,
  uptime: 1_000_000,
  cpuUsage: 0.37,
  memoryUsed: 3.4 * 1024 ** 3,
  lastUpdated: inMs(-10_000),
  createdAt: inMs(-20 * DAY_MS),
  tokenId: 3,
  packageName: 'Harbour, 2 CPU, 4 GB RAM, 80 GB SSD',
  size: { cpu: 2, ramGb: 4, diskGb: 80, diskKind: 'SSD' },
  osType: 'Debian 12',
  addresses: ['198.51.100.7', '203.0.113.81'],
  domain: null,
  macAddress: 'BC:24:11:2E:F0:07',
  username: 'debian',
  hasPassword: true,
  passwordWay: 'restart',
  isLoginPending: false,
  cd: null,
  transfer: null,
  sshKeys: [],
  hostKeys: [],
  term: 'assigned',
  durationDays: 30,
  monthlyPrice: '12.00',
  nextPackage: null,
  paidUntil: inMs(10 * DAY_MS),
  keptUntil: null,
  suspended: null,
  traffic: TRAFFIC,
  daysWithoutBackup: null,
  jobs: [],
  operator: null,
}

export const OPERATOR: NonNullable<Server['operator']> = {
  vmId: 10_004,
  cluster: { id: 1, name: 'Demo cluster' },
  node: 'pve1',
  client: { id: 4, name: '4821907' },
  orderId: 12,
  notes: 'Asked for a bigger disk in June.\nWaits for our answer.',
}

export const JOB = {
  id: '00000000-0000-4000-8000-000000000001',
  kind: 'provision',
  title: `Create ${LONG_LABEL}`,
  state: 'running',
  step: 'clone',
  progress: 0.4,
  error: null,
} as const

function server(values: Partial<Server> = {}): Server {
  const shown = { ...SERVER, ...values }
  const facts: ServerFacts = {
    audience: shown.operator ? 'operator' : 'owner',
    status: shown.status,
    term: shown.term,
    isSuspended: shown.suspended !== null,
    suspendReason: shown.suspended?.reason ?? '',
    hasPassword: shown.hasPassword,
    isOurs: true,
    offersRenewal: false,
    isFree: false,
    isLoginPending: shown.isLoginPending,
    isReplacingLogin: shown.isLoginPending,
    hasOpenRenewal: false,
    hasSnapshots: false,
    hasBackups: false,
    cd: shown.cd,
    renewsItself: false,
  }
  return { ...shown, can: possibleActs(facts) }
}

export const answers = (values: Partial<Server> = {}): Answers => ({
  '**/api/instances/7': server(values),
})

export const REASON = 'Port scans from this server since Monday. Please write to us.'
const hostKey = (type: string, fingerprint: string): Server['hostKeys'][number] => ({
  type,
  fingerprint,
  knownHosts: `198.51.100.7 ${type} AAAA`,
  seenAt: inMs(-19 * DAY_MS),
  lastSeenAt: inMs(-2 * HOUR_MS),
  changedAt: null,
})
const HOST_KEYS = [
  hostKey('ssh-ed25519', 'SHA256:Wm3fW5oZPTfyGR4Kj4hTqEzQmVYb4lTnXXjvYpV2GhM'),
  hostKey('ecdsa-sha2-nistp256', 'SHA256:q0bPSkG2a0m1YjQAyHKmJ8CvTqLc8Qv1p7ZrM8oVx1s'),
  hostKey('ssh-rsa', 'SHA256:8mTqLc8Qv1p7ZrM8oVx1sq0bPSkG2a0m1YjQAyHKmJ8'),
]
export const SEEN: Record<string, [Server['hostKeys'], text: string]> = {
  '': [HOST_KEYS, 'ED25519, since'],
  '-changed': [
    HOST_KEYS.map((key) => ({ ...key, changedAt: inMs(-2 * DAY_MS) })),
    'expected after a reinstall',
  ],
  '-unseen': [[], 'the server does not answer on port 22'],
}
const OFF = { status: 'stopped', uptime: 0, cpuUsage: null, memoryUsed: null }

export const STATES: Record<string, Partial<Server>> = {
  running: { hostKeys: HOST_KEYS },
  off: OFF,
  creating: {
    ...OFF,
    status: 'creating',
    term: 'pending',
    hostname: null,
    addresses: [],
    macAddress: null,
    username: null,
    hasPassword: false,
    paidUntil: null,
    jobs: [JOB],
  },
  busy: {
    status: 'restarting',
    jobs: [{ ...JOB, kind: 'hostname', title: `Rename ${LONG_LABEL}`, step: 'rename' }],
  },
  reinstalling: {
    ...OFF,
    status: 'reinstalling',
    jobs: [{ ...JOB, kind: 'reinstall', title: `Reinstall ${LONG_LABEL}`, step: 'replace' }],
  },
  updating: {
    status: 'updating',
    jobs: [{ ...JOB, kind: 'password', title: `New password for ${LONG_LABEL}`, step: 'apply' }],
  },
  'reinstall-undone': {
    jobs: [
      {
        ...JOB,
        kind: 'reinstall',
        state: 'failed',
        title: `Reinstall ${LONG_LABEL}`,
        error:
          'The new system did not answer within 10 minutes. The old system is back, with everything on it. Its login may again be the one on its page, and its host keys may be new.',
      },
    ],
  },
  unknown: { status: 'unknown', lastUpdated: inMs(-HOUR_MS) },
  suspended: { ...OFF, suspended: { reason: REASON, since: inMs(-DAY_MS) } },
  expired: { ...OFF, term: 'expired', paidUntil: inMs(-DAY_MS), keptUntil: inMs(6 * DAY_MS) },
  ended: { ...OFF, term: 'cancelled', keptUntil: inMs(3 * DAY_MS) },
  missing: { ...OFF, status: 'missing' },
  failed: {
    failure: 'The operating system did not react to the shutdown. Use Stop to switch it off.',
    jobs: [
      { ...JOB, kind: 'hostname', state: 'failed', title: `Rename ${LONG_LABEL}`, error: 'No.' },
    ],
  },
  'keys-only': {
    hasPassword: false,
    sshKeys: [
      { fingerprint: 'SHA256:Wm3fW5oZPTfyGR4Kj4hTqEzQmVYb4lTnXXjvYpV2GhM', name: 'Work laptop' },
      { fingerprint: 'SHA256:q0bPSkG2a0m1YjQAyHKmJ8CvTqLc8Qv1p7ZrM8oVx1s', name: null },
    ],
  },
}
