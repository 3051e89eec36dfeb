import type { Firewall } from '#shared/api/servers/firewall.ts'
import type { Network, Protection } from '#shared/api/servers/network.ts'
import type { ReverseDns, ReverseName } from '#shared/api/servers/reverse-dns.ts'
import { POOLS } from './answers/pool-answers.ts'
import type { Screen } from './answers/screen-acts.ts'
import { pressAndAsk, pressAndSee } from './answers/screen-acts.ts'
import { answers, inMs, PATH } from './answers/server-states.ts'
import { DAYS, TALKERS, TRAFFIC, USED_UP } from './answers/traffic-answers.ts'

const NAMED: ReverseName = {
  hostname: 'mail.a-rather-long-name.example.org',
  isDefault: false,
  state: 'set',
  why: null,
}

const OPEN: Network = {
  addresses: [
    { address: '203.0.113.77', family: 4, rdns: NAMED },
    {
      address: '2001:db8:4d::77',
      family: 6,
      rdns: { ...NAMED, hostname: '2001-db8-4d-0-0-0-0-77.vps.example.net', state: 'pending' },
    },
  ],
  prefixes: ['2001:db8:4d:77::/64'],
  macAddress: 'BC:24:11:4F:00:77',
  antiSpoof: { ok: true, why: null },
  isMailOpen: false,
  rateMbit: 500,
  traffic: TRAFFIC,
}

/** Everything is used up, and the card is slowed. */
const SLOWED: Network = { ...OPEN, rateMbit: 10, traffic: USED_UP }

const FORGED: Network = {
  ...OPEN,
  addresses: [
    {
      address: '203.0.113.77',
      family: 4,
      rdns: {
        ...NAMED,
        state: 'failed',
        why: 'The DNS server has not taken it yet. It is asked again by itself.',
      },
    },
    { address: '2001:db8:4d::77', family: 6, rdns: null },
  ],
  antiSpoof: { ok: false, why: 'The filter is not in force. The operator is told.' },
  isMailOpen: true,
  rateMbit: null,
  traffic: { ...TRAFFIC, quotaBytes: null },
}

const TAB = `${PATH}?tab=network`
const shown = (network: Network) => ({
  ...answers({ traffic: network.traffic }),
  '**/api/instances/7/network': network,
  '**/api/instances/7/traffic': DAYS,
  '**/api/instances/7/firewall': OPEN_DOORS,
})

const server = (id: number, given: Partial<Protection['unprotected'][number]>) => ({
  id,
  label: `A server that has a long name, number ${id}`,
  cluster: 'Demo cluster',
  faults: ['datacenter-off' as const],
  isToBeSet: false,
  ...given,
})

const OFF = Array.from({ length: 12 }, (_, index) => server(index + 1, {}))
const OTHERS = [
  server(20, { faults: ['differs'], isToBeSet: true }),
  server(21, { faults: ['not-ours'], label: 'db-primary' }),
]

const UNPROTECTED: Protection = {
  protected: 212,
  total: 14,
  toBeSet: 1,
  faults: [
    { fault: 'datacenter-off', servers: 12 },
    { fault: 'differs', servers: 1 },
    { fault: 'not-ours', servers: 1 },
  ],
  unprotected: [...OFF, ...OTHERS],
  next: null,
}

const unprotected = {
  '**/api/protection': UNPROTECTED,
  '**/api/protection?fault=datacenter-off&limit=8': {
    ...UNPROTECTED,
    unprotected: OFF.slice(0, 8),
  },
  '**/api/protection?fault=differs&limit=8': { ...UNPROTECTED, unprotected: OTHERS.slice(0, 1) },
  '**/api/protection?fault=not-ours&limit=8': { ...UNPROTECTED, unprotected: OTHERS.slice(1) },
}

const OPEN_DOORS: Firewall = {
  rules: [],
  incoming: 'ACCEPT',
  revertAt: null,
  before: null,
  reverted: null,
  isApplied: true,
  refusal: null,
}
const RULES: Firewall = {
  ...OPEN_DOORS,
  incoming: 'DROP',
  rules: [
    {
      direction: 'in',
      action: 'ACCEPT',
      protocol: 'tcp',
      ports: '22',
      source: '2001:db8:4d:12::/64',
      comment: 'SSH from the office, and from the flat while the office is closed',
    },
    { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '80,443,8000:8100' },
    { direction: 'in', action: 'ACCEPT', protocol: 'icmp', comment: 'Ping' },
    { direction: 'out', action: 'REJECT', protocol: 'udp', destination: '198.51.100.0/24' },
  ],
}
const ON_TRIAL: Firewall = {
  ...RULES,
  // Longer than a minute, so that it is still there when the screen is looked at.
  revertAt: inMs(300_000),
  before: { rules: [], incoming: 'ACCEPT' },
}
const TAKEN_BACK: Firewall = {
  ...RULES,
  reverted: { rules: [], incoming: 'DROP', at: inMs(-90_000) },
}
const withFirewall = (firewall: Firewall) => ({
  ...shown(OPEN),
  '**/api/instances/7/firewall': firewall,
})

const AWAY = '127.0.0.1:8081 refused the connection: is it running, and is its API on?'
const NO_ZONE =
  'PowerDNS has no zone for 5.100.51.198.in-addr.arpa. Create it there, or correct the pool.'
const REVERSE: ReverseDns = {
  server: { kind: 'powerdns', url: 'http://127.0.0.1:8081' },
  set: 212,
  pending: 3,
  failed: [AWAY, AWAY, NO_ZONE].map((why, index) => ({
    address: `203.0.113.${index + 20}`,
    hostname: index === 0 ? null : `203-0-113-${index + 20}.vps.example.net`,
    instanceId: index === 0 ? null : index,
    why,
    nextAt: '2026-11-17T12:00:00.000Z',
  })),
}
const reverse = { ...POOLS, '**/api/reverse-dns': REVERSE }

/** How a server is connected, and the list of servers from which forged packets may leave. */
export const NETWORK_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'network', path: TAB, answers: shown(OPEN) },
  { role: 'client', name: 'network-slowed', path: TAB, answers: shown(SLOWED) },
  {
    role: 'admin',
    name: 'talkers',
    path: '/instances?view=traffic',
    answers: { '**/api/traffic?*': TALKERS },
  },
  {
    role: 'admin',
    name: 'talkers-none',
    path: '/instances?view=traffic',
    answers: { '**/api/traffic?*': [] },
  },
  { role: 'client', name: 'network-unfiltered', path: TAB, answers: shown(FORGED) },
  { role: 'client', name: 'firewall', path: TAB, answers: withFirewall(RULES) },
  {
    role: 'client',
    name: 'firewall-changed',
    path: TAB,
    answers: withFirewall(RULES),
    prepare: pressAndSee('Move rule 2 up', 'Not applied yet.'),
  },
  {
    role: 'client',
    name: 'firewall-rule',
    path: TAB,
    answers: withFirewall(RULES),
    prepare: pressAndAsk('Edit rule 1'),
  },
  { role: 'client', name: 'firewall-trial', path: TAB, answers: withFirewall(ON_TRIAL) },
  { role: 'client', name: 'firewall-reverted', path: TAB, answers: withFirewall(TAKEN_BACK) },
  {
    role: 'client',
    name: 'firewall-refused',
    path: TAB,
    answers: withFirewall({
      ...RULES,
      refusal: 'This server has expired. Renew it to change its firewall.',
    }),
  },
  {
    role: 'client',
    name: 'reverse-name',
    path: TAB,
    answers: shown(OPEN),
    prepare: pressAndAsk('Change reverse name of 203.0.113.77'),
  },
  { role: 'admin', name: 'reverse-dns', path: '/pools', answers: reverse },
  {
    role: 'admin',
    name: 'dns-server',
    path: '/pools',
    answers: reverse,
    prepare: pressAndAsk('Edit DNS server'),
  },
  { role: 'admin', name: 'protection', path: '/pools', answers: unprotected },
  {
    role: 'admin',
    name: 'protection-ask',
    path: '/pools',
    answers: unprotected,
    prepare: pressAndAsk('Protect 1 server'),
  },
]
