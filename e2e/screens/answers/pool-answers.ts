import type { PoolAddress } from '#shared/api/servers/pools.ts'
import type { Answers } from '../../acts/network.ts'

const NAMES = ['Harbour', 'mail.example.org', 'Lighthouse', 'build-3']

/** A network in use: mostly sold, with some of every other state. */
function stateOf(last: number): Omit<PoolAddress, 'address'> {
  const nothing = { server: null, reason: null, until: null }
  const name = NAMES[last % NAMES.length] ?? ''
  const server = { tokenId: last, instanceId: last, name }
  if (last === 77) return { ...nothing, state: 'used', server, reason: 'VM 105 (backup)' }
  if (last % 29 === 5) return { ...nothing, state: 'reserved', reason: 'VM 105 (backup)' }
  if (last % 23 === 4) return { ...nothing, state: 'cooling', until: '2026-11-17T12:00:00.000Z' }
  if (last > 150 && last < 163) return { ...nothing, state: 'held', server }
  return last < 163 && last % 7 !== 0
    ? { ...nothing, state: 'used', server }
    : { ...nothing, state: 'free' }
}

const LIST = Array.from({ length: 241 }, (_, index) => ({
  address: `203.0.113.${index + 10}`,
  ...stateOf(index + 10),
}))
const count = (state: string) => LIST.filter((one) => one.state === state).length

const PUBLIC = {
  id: 1,
  clusterId: 1,
  clusterName: 'Demo cluster',
  name: 'Public addresses',
  family: 4,
  cidr: '203.0.113.0/24',
  gateway: '203.0.113.1',
  ranges: [{ first: '203.0.113.10', last: '203.0.113.250' }],
  reserved: [],
  bridge: 'vmbr0',
  vlan: 20,
  nameservers: ['9.9.9.9'],
  searchDomain: 'example.net',
  rdns: '113.0.203.in-addr.arpa',
  rdnsPattern: '{a}-{b}-{c}-{d}.vps.example.net',
  prefixPerServer: null,
  counts: {
    free: count('free'),
    held: count('held'),
    used: count('used'),
    reserved: count('reserved'),
    cooling: count('cooling'),
  },
  createdAt: '2026-11-01T12:00:00.000Z',
}
const PROPOSED = {
  ...PUBLIC,
  id: 2,
  name: '10.20.0.0/16',
  cidr: '10.20.0.0/16',
  gateway: '10.20.0.1',
  ranges: [],
  vlan: null,
  counts: { free: 0, held: 0, used: 0, reserved: 0, cooling: 0 },
}
const GATEWAY = {
  address: '10.20.0.1',
  state: 'reserved',
  server: null,
  reason: 'Gateway of the pool',
  until: null,
}

/** Pools with every state that an address can be in. */
export const POOLS: Answers = {
  '**/api/pools': [PUBLIC, PROPOSED],
  '**/api/pools/1/addresses*': { addresses: LIST, offset: 0, total: LIST.length, outside: [] },
  '**/api/pools/2/addresses*': { addresses: [], offset: 0, total: 0, outside: [GATEWAY] },
}
