import type { Group } from '../mutant.ts'

const SCHEDULE = 'src/server/provisioning/backups/schedule.test.ts'
const BACKUPS = 'src/server/provisioning/backups/backups.test.ts'
const WAITS = 'src/server/provisioning/backups/backup-waits.test.ts'
const INTO = 'src/server/provisioning/backups/restore-into.test.ts'
const PRESENT = 'src/server/provisioning/backups/present-holds.test.ts'

/** Backups by themselves and by hand: never too many at once, never too many, never none. */
export const BACKUPS_MADE: Group[] = [
  {
    file: 'src/server/provisioning/backups/schedule-sweep.ts',
    tests: [SCHEDULE],
    mutants: [
      ['lte(backupSchedules.dueAt, now),', ''],
      ["eq(tokens.status, 'assigned'),\n", '\n'],
      ['      isNull(instances.suspendedAt),\n', ''],
      ['      isNodeFree,\n', ''],
      ['      isItself,\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/backups/backup-turn.ts',
    tests: [WAITS],
    mutants: [
      ['if (isHeld(instance, clock.now())) throw new NotYetError(IN_USE)', ''],
      ['if (!itself) throw new NotYetError(NOT_ITSELF)', 'void itself'],
      ['  await markHeld(tx, id, new Date(input.since))\n', ''],
      [
        '  await tx.update(backups).set(system).where(eq(backups.id, input.backupId))\n',
        '  void system\n',
      ],
    ],
  },
  {
    file: 'src/server/provisioning/backups/backup-turn.ts',
    tests: [WAITS],
    mutants: [
      ['  if (!backup) return { isCancelled: true }\n', '  if (!backup) throw new Error()\n'],
      ['  if (!(await backupById(tx, input.backupId))) return false\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/backups/backup-rows.ts',
    tests: [BACKUPS],
    mutants: [["state === 'creating' && turn === null", "state === 'creating'"]],
  },
  {
    file: 'src/shared/rules/instance/backups.ts',
    tests: [WAITS],
    mutants: [['  if (isUnderWay) return UNDER_WAY\n', '']],
  },
  {
    file: 'src/shared/rules/instance/backups.ts',
    tests: [BACKUPS],
    mutants: [
      ['if (made < limit) return undefined', 'return undefined'],
      ["if (limit === 0) return 'Backups are not part of this package.'", ''],
    ],
  },
  {
    file: 'src/server/provisioning/backups/restore-steps.ts',
    tests: [PRESENT],
    mutants: [
      ['    await applyPresent(deps, target, required(output(remember)), system)\n', ''],
      ["      await applyPresent(deps, target, remembered, { username, loginMark: '' })\n", ''],
      ['      await checkFirewall(deps, instance.id)\n', ''],
      ['      await keepRate(deps, instance.id)\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/backups/restore-job.ts',
    tests: [PRESENT],
    mutants: [
      ['      firewallStep(deps),\n', ''],
      ['      rateStep(deps),\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/rollback-job.ts',
    tests: [PRESENT],
    mutants: [['      rateStep(deps),\n', '']],
  },
  {
    file: 'src/server/provisioning/snapshots/rollback-steps.ts',
    tests: [PRESENT],
    mutants: [
      [
        '    await applyPresent(deps, target, remembered, await requireSnapshot',
        '    void (await requireSnapshot',
      ],
      ['      await keepRate(deps, target.instance.id)\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/present-config.ts',
    tests: [PRESENT],
    mutants: [
      [
        '  await hypervisor.resize(vm, Math.max(sizeFromName(token.name).diskGb, Math.ceil(sizeGb)))\n',
        '',
      ],
      ['...(hasAddress(token) ? {', '...(false ? {'],
    ],
  },
  {
    file: 'src/server/jobs/job-runner.ts',
    tests: [BACKUPS],
    mutants: [
      ['error.hasOwnEnd ? Number.POSITIVE_INFINITY : TURN_MS', 'RETRY_FOR_MS'],
      ["next === 'waiting' ? failure : describeEnd(error)", 'failure'],
    ],
  },
  {
    file: 'src/server/jobs/job-runner.ts',
    tests: ['src/server/jobs/patience.test.ts'],
    mutants: [
      ['Math.min(last, LONGEST_PAUSE_MS)', 'last'],
      ['paused > patienceWith(error, failure)', 'false'],
      ['if (deps.isStopping?.()) throw new RunAgainError(error)', ''],
      ['run.paused.get(step.name)', '[...run.paused.values()][0]'],
    ],
  },
  {
    file: 'src/server/jobs/job-store.ts',
    tests: ['src/server/jobs/patience.test.ts'],
    mutants: [['failure: { ...failure, paused }', 'failure']],
  },
  {
    file: 'src/server/provisioning/backups/restore-source.ts',
    tests: [INTO],
    mutants: [
      ['if (!held) throw refused(', 'if (!held) return undefined\n  if (!held) throw refused('],
      ['ownerId !== instance.ownerId', 'false'],
      ['  await release(tx, held, status, clock.now())\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/backups/restore-steps.ts',
    tests: [INTO],
    mutants: [
      ['if (sizeGb <= most) return', 'if (sizeGb > 0) return'],
      ["input.source ? { username: row.username, loginMark: '' } : row", 'row'],
    ],
  },
  {
    file: 'src/server/features/servers/backup-server.ts',
    tests: [INTO],
    mutants: [
      ['row.ownerId === null || row.ownerId !== source.ownerId', 'false'],
      ['if (into === ids.id) {', 'if (false) {'],
    ],
  },
  {
    file: 'src/server/hypervisor/backups/backup-acts.ts',
    tests: [INTO],
    mutants: [
      ["of ? { ...sold.values, description: vm.marker ?? '' } : sold.values", 'sold.values'],
    ],
  },
  {
    file: 'src/server/features/clusters/reused-ids.ts',
    tests: ['src/server/features/clusters/backup-storage.test.ts'],
    mutants: [
      ['isNull(backups.instanceId), ', ''],
      ['isNotNull(instances.missingSince)', 'isNull(backups.instanceId)'],
      ['        or(isNull(backups.instanceId), isNotNull(instances.missingSince)),\n', ''],
    ],
  },
  {
    file: 'src/server/features/clusters/check-backup-storage.ts',
    tests: ['src/server/features/clusters/backup-storage.test.ts'],
    mutants: [
      ['if (!found) {', 'if (!found) return\n  if (!found) {'],
      ['if (without.length === 0) return', 'if (without.length >= 0) return'],
      ['isNotNull(instances.marker)', 'isNotNull(instances.id)'],
    ],
  },
]
