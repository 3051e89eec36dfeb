import type { Group } from '../mutant.ts'

/** What a client changes about a server: its password, and what its first start runs. */
export const SERVERS: Group[] = [
  {
    file: 'src/server/provisioning/new-password/password-steps.ts',
    tests: ['src/server/provisioning/new-password/new-password.test.ts'],
    mutants: [
      ['    if (!(await allowsAgent(db, instance.clusterId))) return false\n', ''],
      ["    if (state === 'stopped') return { by: 'next-start' }\n", ''],
      ['uptime < (output(before.configure)?.uptime ?? 0)', 'false'],
      ['uptime < (output(before.configure)?.uptime ?? 0)', 'true'],
      ['      await storePassword(tx, token, password, keyring)\n', ''],
      ['      await forgetLogin(tx, jobId)\n', ''],
      ["status: by === 'next-start' ? 'stopped' : 'running'", "status: 'running'"],
      ['give(target, openPassword(deps.keyring, target.token))', 'Promise.resolve()'],
    ],
  },
  {
    file: 'src/server/provisioning/seed/seed-steps.ts',
    tests: ['src/server/provisioning/seed/user-data.test.ts'],
    mutants: [
      [
        '        await withdraw(deps, planned)\n        await forgetSeed(db, context.jobId)\n',
        '        await forgetSeed(db, context.jobId)\n',
      ],
      [
        '      await withdraw(deps, planned)\n      await forgetSeed(db, context.jobId)\n',
        '      await forgetSeed(db, context.jobId)\n',
      ],
    ],
  },
  {
    file: 'src/server/provisioning/seed/seed-sweep.ts',
    tests: ['src/server/provisioning/seed/user-data.test.ts'],
    mutants: [
      ["          inArray(jobs.state, ['done', 'failed']),\n", ''],
      ['        if (known.has(planned.clusterId)) await withdraw(deps, planned)\n', ''],
      ['        await forgetSeed(db, jobId)\n', ''],
    ],
  },
  {
    file: 'src/server/orders/user-data.ts',
    tests: [
      'src/server/orders/user-data.test.ts',
      'src/server/provisioning/seed/user-data.test.ts',
    ],
    mutants: [
      ['  if (isTooDeep(text)) return TOO_DEEP\n', ''],
      ['  if (!isMap(parsed.contents)) return NO_MAPPING\n', ''],
      ["  if (twice?.range) return at(twice.range[0], 'This setting is there twice')\n", ''],
      ['{ maxAliasCount: MAX_ALIASES }', '{ maxAliasCount: -1 }'],
      [".replace(/(?<=[\\w)]): .*$/s, '')", ''],
    ],
  },
  {
    file: 'src/server/provisioning/handover/handover-sweep.ts',
    tests: ['src/server/provisioning/handover/handover-job.test.ts'],
    mutants: [
      ['    await beginAgain()\n', ''],
      ["eq(jobsTable.state, 'done'),\n", ''],
      ['          inArray(tokens.status, DELIVERED),\n', ''],
    ],
  },
]
