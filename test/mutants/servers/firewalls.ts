import type { Group } from '../mutant.ts'

/** What a server may send. */
export const FIREWALLS: Group[] = [
  {
    file: 'src/server/hypervisor/firewall/wanted-file.ts',
    tests: ['src/server/hypervisor/firewall/firewall-acts.test.ts'],
    mutants: [
      ['oneLine(rule.comment)', 'rule.comment'],
      ['  enable: true,\n  macfilter', '  macfilter'],
      ['ipfilter: true', 'ipfilter: false'],
      ['macfilter: true', 'macfilter: false'],
      ['dhcp: false', 'dhcp: true'],
      [', linkLocalOf(mac)', ''],
      ['first ^ 0x02', 'first'],
    ],
  },
  {
    file: 'src/server/hypervisor/firewall/firewall-acts.ts',
    tests: ['src/server/hypervisor/firewall/firewall-acts.test.ts'],
    mutants: [
      ['    requireSame(config, vm)\n', ''],
      ['await firewall.removeMember(place, IPFILTER, cidr)', 'continue'],
      ['await filterCard(place, vm)\n', ''],
      ['await setRules(place, wish.rules.map(ruleOf))\n', ''],
      ["if (enable === 0) return ['datacenter-off']", ''],
      ["ebtables === 0 ? ['frames-unfiltered'] : []", '[]'],
      ['      isFiltered &&\n', ''],
      ['hasOptions(await firewall.options(place)) &&', ''],
      ['enable === 1 &&', ''],
      ['now.length === wanted.length && now.toSorted()', 'now.toSorted()'],
      ['wanted.toReversed()', 'wanted'],
      ['enable: false })', 'enable: true })'],
      ['await firewall.switchOnRule(place, pos)', 'continue'],
    ],
  },
  {
    file: 'src/server/firewalls/server-firewall.ts',
    tests: [
      'src/server/firewalls/firewalls.test.ts',
      'src/server/features/network/network.test.ts',
      'src/server/firewalls/trial.test.ts',
    ],
    mutants: [
      ["if (instance.marker === null) return ['not-ours']", ''],
      ["error.code === 'CLUSTER_REFUSED'", 'false'],
      ['isSet ? { isKept: true } : {}', '{ isKept: true }'],
      ['wanted.isMailOpen !== undefined && failed.length > 0', 'false'],
      ['wanted.isSet ?? server.firewall?.isKept ?? false', 'true'],
      ["['differs', 'refused']", "['differs']"],
      ['holder: randomUUID()', "holder: 'one'"],
    ],
  },
  {
    file: 'src/server/firewalls/wished-firewall.ts',
    tests: ['src/server/firewalls/trial.test.ts', 'src/server/firewalls/client-rules.test.ts'],
    mutants: [
      ['...(isMailOpen ? [] : [NO_MAIL]),', ''],
      [
        '...(isMailOpen ? [] : [NO_MAIL]),\n      ...rules.map(wishedRule),',
        '...rules.map(wishedRule),\n      ...(isMailOpen ? [] : [NO_MAIL]),',
      ],
      ["...(incoming === 'DROP' ? [NOTHING_ELSE] : []),", ''],
      ["  comment: 'of its client',", '  comment: _,'],
      ['revertAt > now &&', ''],
      ['&& revertAt.getTime() <= now.getTime() + TRIAL_MS', ''],
      ['? trial : confirmed', '? confirmed : confirmed'],
    ],
  },
  {
    file: 'src/server/firewalls/trial.ts',
    tests: ['src/server/firewalls/trial.test.ts', 'src/server/features/servers/firewall.test.ts'],
    mutants: [
      [', gt(firewalls.revertAt, new Date(now.getTime() + TRIAL_MS))', ''],
      ['or(lte(firewalls.revertAt, now), ', 'or('],
      [', eq(firewalls.isKept, true)', ''],
      ['...NOT_REVERTED, version: nextVersion })', 'version: nextVersion })'],
      ["if (faults.includes('datacenter-off')) {", 'if (false) {'],
      ["if (why !== undefined) throw new AppError('INVALID_STATE', why)\n  } catch", '  } catch'],
      [
        '    await takeBack(db, and(isOf(instanceId), eq(firewalls.version, version)), clock.now())\n',
        '',
      ],
      ['      version: nextVersion,\n      // The sweep', '      // The sweep'],
      ['        gt(firewalls.revertAt, now),\n', ''],
      ['        lte(firewalls.version, firewalls.appliedVersion),\n', ''],
      ['if (row.reverted !== null) return TOO_LATE', ''],
      ['row.confirmedAt === null ? NOTHING_TRIED : undefined', 'undefined'],
      ['row.confirmedAt === null ? NOTHING_TRIED : undefined', 'NOTHING_TRIED'],
    ],
  },
  {
    file: 'src/server/firewalls/trial-sweep.ts',
    tests: ['src/server/firewalls/trial.test.ts'],
    mutants: [
      ['    await writeUnapplied(deps)\n', ''],
      ['    await endTrials(deps)\n', ''],
      ['      if (ended.length === 0) return\n', ''],
      ['    lt(firewalls.checkedAt, new Date(now.getTime() - RETRY_MS)),\n', ''],
      ['      if (!(error instanceof AppError)) throw error\n', '      throw error\n'],
    ],
  },
  {
    file: 'src/server/firewalls/forget-rules.ts',
    tests: ['src/server/features/servers/firewall.test.ts'],
    mutants: [
      ['      confirmed: OPEN_FIREWALL,\n', ''],
      ['      trial: null,\n      revertAt: null,\n', ''],
      ['} + 1`', '} + 0`'],
    ],
  },
  {
    file: 'src/server/firewalls/package-mail.ts',
    tests: ['src/server/features/servers/firewall.test.ts'],
    mutants: [['if (!plan?.mailOpen) return', 'if (plan || !plan) return']],
  },
  {
    file: 'src/server/features/servers/firewall-server.ts',
    tests: ['src/server/features/servers/firewall.test.ts', 'src/server/firewalls/trial.test.ts'],
    mutants: [
      ['      await instanceFor(db, actor, id)\n', ''],
      [
        "lockServer(tx, { actor, id, act: 'firewall' }, deps)\n          const begun",
        'serverRow(tx, actor, id)\n          const begun',
      ],
      [
        "lockServer(tx, { actor, id, act: 'firewall' }, deps)\n        if (",
        'serverRow(tx, actor, id)\n        if (',
      ],
      [
        'if (!(await confirmTrial(tx, id, clock.now()))) return',
        'await confirmTrial(tx, id, clock.now())',
      ],
    ],
  },
  {
    file: 'src/shared/rules/network/firewall-rules.ts',
    tests: ['src/shared/rules/network/firewall-rules.test.ts'],
    mutants: [
      ['from < 1 || ', ''],
      ['if (from > to) return', 'if (false) return'],
      ['numbers <= MOST_PORTS', 'numbers <= MOST_PORTS + 1'],
      ['if (ports !== undefined && !hasPorts(protocol)) {', 'if (false) {'],
      ["if (direction === 'out' && source !== undefined) {", 'if (false) {'],
      ["if (direction === 'in' && destination !== undefined) {", 'if (false) {'],
      ['familyOf(place) === family', 'true'],
      ["direction === 'in' && action === 'ACCEPT'", "action === 'ACCEPT'"],
    ],
  },
  {
    file: 'src/server/features/network/protection.ts',
    tests: ['src/server/features/network/network.test.ts'],
    mutants: [
      ['page.after === undefined ? undefined : gt(instances.id, page.after),', ''],
      ['page.fault && has(page.fault),', ''],
      ['rows.length > page.limit ?', 'rows.length >= page.limit ?'],
    ],
  },
  {
    file: 'src/server/provisioning/provision/guest-steps.ts',
    tests: ['src/server/firewalls/every-path.test.ts'],
    mutants: [['faults: await setFirewall(deps, instance.id)', 'faults: []']],
  },
  {
    file: 'src/server/firewalls/firewall-sweep.ts',
    tests: ['src/server/firewalls/firewalls.test.ts'],
    mutants: [
      ['lt(firewalls.checkedAt, ago(DAY_MS)),', ''],
      ['      isNull(firewalls.checkedAt),\n', ''],
      ['if (!(error instanceof AppError)) throw error', 'throw error'],
    ],
  },
]
