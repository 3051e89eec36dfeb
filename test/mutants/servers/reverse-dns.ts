import type { Group } from '../mutant.ts'

const LIFE = 'src/server/reverse-dns/life-of-names.test.ts'
const TELLING = 'src/server/reverse-dns/telling.test.ts'
const FEATURE = 'src/server/features/reverse-dns/reverse-dns.test.ts'

/** Whose name an address has, and that the DNS server learns it. */
export const REVERSE_DNS: Group[] = [
  {
    file: 'src/shared/rules/reverse-dns/reverse-name.ts',
    tests: ['src/shared/rules/reverse-dns/reverse-name.test.ts'],
    mutants: [
      ['name.endsWith(`.', 'name.endsWith(`'],
      ['ip.family === 4 && withoutFirst(zone)', 'withoutFirst(zone)'],
      ['family === 4 && prefix > 24', 'family === 4'],
      ['b.length - a.length', 'a.length - b.length'],
    ],
  },
  {
    file: 'src/shared/rules/reverse-dns/domain-name.ts',
    tests: ['src/shared/rules/reverse-dns/names.test.ts'],
    mutants: [
      ['name.length <= LONGEST && ', ''],
      ['last !== undefined && !/^\\d+$/.test(last)', 'last !== undefined'],
    ],
  },
  {
    file: 'src/shared/rules/reverse-dns/name-pattern.ts',
    tests: ['src/shared/rules/reverse-dns/names.test.ts'],
    mutants: [
      ['(family === 4 && OCTETS.every((name) => found.has(name)))', 'true'],
      ["places.get(name) ?? '{}'", "places.get(name) ?? ''"],
    ],
  },
  {
    file: 'src/server/addresses/reverse-wishes.ts',
    tests: [TELLING, LIFE, FEATURE],
    mutants: [
      ['row.instanceId === instanceId && row.ownerId === ownerId', 'true'],
      ['if (isGiven && ownerId !== null)', 'if (ownerId !== null)'],
      ["        eq(addresses.state, 'used'),\n", ''],
      ['rows.map(({ name }) => [name, NOTHING])', '[]'],
      ['.wish} + 1`', '.wish}`'],
      ['.onConflictDoNothing()', ''],
      ['if (wanted !== null || wishes.has(name)) wishes.set', 'wishes.set'],
    ],
  },
  {
    file: 'src/server/addresses/settle-addresses.ts',
    tests: [LIFE],
    mutants: [['    await settleReverseNames(tx, { clusterId, now }, inPools)\n', '']],
  },
  {
    file: 'src/server/provisioning/handover/take-over.ts',
    tests: [LIFE],
    mutants: [
      ['      await settleAddressesOf(tx, { clusterId: instance.clusterId, now }, token.id)\n', ''],
    ],
  },
  {
    file: 'src/server/reverse-dns/tell-names.ts',
    tests: [TELLING],
    mutants: [
      ['lte(reverseNames.nextAt, now),', ''],
      ['or(isNull(reverseNames.busyUntil), lte(reverseNames.busyUntil, now)),', ''],
      [
        'or(isNull(reverseNames.busyUntil), lte(reverseNames.busyUntil, now))',
        'isNull(reverseNames.busyUntil)',
      ],
      ['and(isClaimed, eq(reverseNames.wish, row.wish))', 'isClaimed'],
      ['      await tx.update(reverseNames).set({ busyUntil: null }).where(isClaimed)\n', ''],
      ["if (failure?.fault !== 'away') continue", 'continue'],
      ["if (failure?.fault !== 'away') continue", 'if (!failure) continue'],
      ['nextAt: new Date(now.getTime() + AGAIN_MS)', 'nextAt: new Date(8.64e15)'],
      ["fault === 'away' ? sql", 'false ? sql'],
      ['power(2, least(', 'power(1, least('],
    ],
  },
  {
    file: 'src/server/reverse-dns/name-drift.ts',
    tests: [TELLING],
    mutants: [
      ['    await forgetWithoutCluster(db, now)\n', ''],
      ['[...named, ...wished]', '[...named]'],
      ['...holders.keys(), ...rows.keys()', '...holders.keys()'],
      ['...holders.keys(), ...rows.keys()', '...rows.keys()'],
    ],
  },
  {
    file: 'src/server/reverse-dns/forward-check.ts',
    tests: ['src/server/reverse-dns/forward-check.test.ts'],
    mutants: [
      ['if (found.some((one) => canonicalIp(one) === address)) return', 'return'],
      ["code === 'ETIMEOUT'", 'false'],
      ["['ENOTFOUND', 'ENODATA']", "['ENOTFOUND']"],
      ["['ENOTFOUND', 'ENODATA']", "['ENOTFOUND', 'ENODATA', 'ESERVFAIL']"],
    ],
  },
  {
    file: 'src/server/lib/net/guarded-call.ts',
    tests: ['src/server/lib/net/guarded-call.test.ts', FEATURE],
    mutants: [
      ["if (kind === 'never')", 'if (false)'],
      ['return allowsLoopback ? undefined', 'return true ? undefined'],
      ['allowsPlainInside && isInside(address) ? undefined', 'isInside(address) ? undefined'],
      ['allowsPlainInside && isInside(address) ? undefined', 'allowsPlainInside ? undefined'],
      ['if (!isPlain) return undefined', ''],
      ['if (literal !== undefined) throw new CallError(literal)', ''],
    ],
  },
  {
    file: 'src/server/lib/net/guarded-lookup.ts',
    tests: ['src/server/lib/net/guarded-call.test.ts'],
    mutants: [['refusal === undefined ? null : fail(refusal)', 'null']],
  },
  {
    file: 'src/server/reverse-dns/powerdns.ts',
    tests: ['src/server/reverse-dns/powerdns.test.ts'],
    mutants: [
      ['content: withDot(hostname)', 'content: hostname'],
      [' && status !== 404', ''],
      ["if (status === 401 || status === 403) throw away('PowerDNS does not accept the key.')", ''],
      ['if (hostname === null) return\n', ''],
      ["? { ...record, changetype: 'DELETE' }", "? { ...record, changetype: 'REPLACE', ttl: 1 }"],
    ],
  },
  {
    file: 'src/server/reverse-dns/webhook.ts',
    tests: ['src/server/reverse-dns/webhook.test.ts'],
    mutants: [
      ['if (status >= 200 && status < 300) return', 'if (status < 400) return'],
      ['status !== 404 && ', ''],
    ],
  },
  {
    file: 'src/server/features/reverse-dns/reverse-names.service.ts',
    tests: [FEATURE, LIFE],
    mutants: [
      ['if (hostname !== null) await forwardCheck(hostname, address)', ''],
      ['await instanceFor(db, actor, id)', '{ clusterId: 1 }'],
      ['if (!(await isReverseDnsOffered(db))) {', 'if (false) {'],
      ['      await tx.update(reverseNames).set({ nextAt: now }).where(isOpen)\n', ''],
      ['if (!made) {', 'if (false) {'],
      ['details: { address } }', 'details: { address, hostname } }'],
    ],
  },
  {
    file: 'src/server/reverse-dns/server-names.ts',
    tests: [FEATURE, TELLING],
    mutants: [
      ['holder?.instanceId !== id || name', 'name'],
      ['reason === null || isOperator ? reason', 'reason === null || true ? reason'],
    ],
  },
  {
    file: 'src/server/features/reverse-dns/dns-server.service.ts',
    tests: [FEATURE],
    mutants: [
      [
        'if (stored?.kind === kind && stored.url === url) return stored',
        'if (stored) return { ...stored, kind, url }',
      ],
      ['stored?.kind === kind && stored.url === url', 'stored?.url === url'],
      ['      await check(server, [])\n', ''],
      ['        await tx.update(reverseNames).set(', '        void ('],
    ],
  },
]
