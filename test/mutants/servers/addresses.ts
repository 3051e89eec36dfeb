import type { Group } from '../mutant.ts'

/** Who gets an address, and when it is anyone's again. */
export const ADDRESSES: Group[] = [
  {
    file: 'src/server/addresses/take-address.ts',
    tests: [
      'src/server/addresses/addresses.test.ts',
      'src/server/provisioning/races.test.ts',
      'src/server/features/pools/pools.test.ts',
      'src/server/provisioning/provision/addresses-for-clients.test.ts',
    ],
    mutants: [
      ["and (state = 'free' or until <= ", "and (state = 'free' or until is not null or until <= "],
      [
        "or(eq(addresses.state, 'free'), lte(addresses.until, now))",
        "or(eq(addresses.state, 'free'), eq(addresses.state, 'cooling'))",
      ],
      ['.where(and(self, or(isOpen(now), isOwn)))', '.where(self)'],
      ['|| placeOf(pool.ranges, address) === undefined', ''],
      ['if (taken !== undefined || !(await layOutMore(tx, wanted))) return taken', 'return taken'],
      ['limit 1 for update skip locked', 'limit 1'],
      ['(await poolsOf(tx, [clusterId])).filter(handsOut)', 'await poolsOf(tx, [clusterId])'],
    ],
  },
  {
    file: 'src/server/addresses/settle-addresses.ts',
    tests: ['src/server/addresses/addresses.test.ts'],
    mutants: [["next.state === 'free' || next.state === 'cooling'", "next.state === 'free'"]],
  },
  {
    file: 'src/server/addresses/lay-out.ts',
    tests: ['src/server/addresses/addresses.test.ts'],
    mutants: [
      ['if (pool.laidOut !== before) return true', ''],
      ['if ((open?.of ?? 0) < BLOCK) await layOutMore(tx, { clusterId, family })', ''],
    ],
  },
  {
    file: 'src/server/addresses/wanted-state.ts',
    tests: ['src/server/addresses/addresses.test.ts'],
    mutants: [
      ["if (address === pool.gateway) return 'Gateway of the pool'", ''],
      ["if (reserved) return reserved.reason || 'Reserved by an operator'", ''],
      ["if (before.state === 'used') {", 'if (false) {'],
      ['before.until > now', 'false'],
      ["if (reason !== null) return { ...FREE, state: 'reserved', reason }", ''],
      ['if (used) return', 'if (used && reason === null) return'],
    ],
  },
  {
    file: 'src/server/addresses/claims.ts',
    tests: ['src/server/addresses/addresses.test.ts'],
    mutants: [
      ["row.status === 'creating' ? 'held' : 'used'", "'used'"],
      ["row.instanceId === null ? 'held' : 'used'", "'held'"],
      ["or(ne(tokens.status, 'cancelled'), isNotNull(tokens.assignedInstanceId))", 'undefined'],
      ['isNull(instances.missingSince),', ''],
    ],
  },
  {
    file: 'src/server/features/pools/pools.service.ts',
    tests: ['src/server/features/pools/pools.test.ts'],
    mutants: [
      ['await refuseOverlap(tx, values)\n', ''],
      ["    .for('no key update')\n", ''],
      ['if (taken.length > 0) {', 'if (false) {'],
      ['await refuseLeavingOut(tx, before, values)', ''],
      ['address === gateway || ', ''],
      ['await dropFreeOutside(tx, changed)', ''],
    ],
  },
  {
    file: 'src/server/provisioning/allocation/stock-health.ts',
    tests: ['src/server/features/tokens/tokens.test.ts', 'src/server/features/pools/pools.test.ts'],
    mutants: [
      [
        "if (row?.state === 'held' && row.tokenId === token.id) return undefined",
        'return undefined',
      ],
    ],
  },
  {
    file: 'src/server/addresses/give-ipv6.ts',
    tests: ['src/server/features/pools/ipv6.test.ts'],
    mutants: [
      [
        '.filter(({ bridge, vlan }) => !beside || (bridge === beside.bridge && vlan === beside.vlan))',
        '',
      ],
      ['await settleAddresses(tx, place, [ipv6Address])', ''],
    ],
  },
  {
    file: 'src/server/addresses/sends-from.ts',
    tests: ['src/server/features/pools/ipv6.test.ts'],
    mutants: [
      ['[ipv4, ipv6, prefixOf(pools, ipv6)]', '[ipv4, ipv6]'],
      ['[ipv4, ipv6, prefixOf(pools, ipv6)]', '[ipv4, prefixOf(pools, ipv6)]'],
    ],
  },
  {
    file: 'src/shared/rules/network/routed-prefix.ts',
    tests: ['src/shared/rules/network/routed-prefix.test.ts'],
    mutants: [
      ['number <= 0n || number >= division.count', 'number >= division.count'],
      ['number <= 0n || number >= division.count', 'number <= 0n'],
      ['count < size ? count - 1n : size - 1n', 'count - 1n'],
    ],
  },
]
