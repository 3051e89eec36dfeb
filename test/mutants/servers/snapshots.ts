import type { Group } from '../mutant.ts'

const OF_ROLLBACK = ['src/server/provisioning/snapshots/rollback.test.ts']
const OF_SNAPSHOTS = ['src/server/provisioning/snapshots/snapshots.test.ts']
const OF_ACTS = ['src/server/hypervisor/snapshots/snapshot-acts.test.ts']
const OF_REINSTALL = ['src/server/provisioning/reinstall/snapshot-first.test.ts']

/** Ways back: what a rollback must not change, and what a snapshot must not cost. */
export const SNAPSHOTS: Group[] = [
  {
    file: 'src/server/provisioning/snapshots/rollback-steps.ts',
    tests: OF_ROLLBACK,
    mutants: [
      ["      await applyPresent(deps, target, remembered, { username, loginMark: '' })\n", ''],
      ['      await hypervisor.deleteSnapshot(vm, newer.vmSnapshot)\n', ''],
      ["if (isOn) await hypervisor.power(vm, 'start')", "await hypervisor.power(vm, 'start')"],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/rollback-steps.ts',
    tests: OF_REINSTALL,
    mutants: [
      ['    await dropDisk(deps, target, remembered.volume)\n', ''],
      [
        'tx.update(tokens).set({ osType, templateId, username })',
        'tx.update(tokens).set({ username })',
      ],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/present-config.ts',
    tests: OF_ROLLBACK,
    mutants: [
      ['  await hypervisor.applySoldConfig(vm, sold)\n', ''],
      ['...(isSameLogin ? {} : {', '...(true ? {} : {'],
      ['...(isSameLogin ? {} : {', '...(false ? {} : {'],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/snapshot-rows.ts',
    tests: OF_SNAPSHOTS,
    mutants: [
      ["  if (why !== undefined) throw new AppError('INVALID_STATE', why)\n", ''],
      ['  if (kept > terms.days) {', '  if (false) {'],
    ],
  },
  {
    file: 'src/server/hypervisor/snapshots/snapshot-tasks.ts',
    tests: OF_ACTS,
    mutants: [
      ['(await leftLocked(error, place, effect)) ?? ', ''],
      ['if (lock === undefined || !LOCKS.has(lock)) return undefined', ''],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/take-job.ts',
    tests: OF_SNAPSHOTS,
    mutants: [
      ['hypervisor.deleteSnapshot(vm, context.input.vmSnapshot)', 'Promise.resolve()'],
      ['forgetUntaken(deps.db, input.snapshotId)', 'Promise.resolve()'],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/delete-job.ts',
    tests: OF_SNAPSHOTS,
    mutants: [
      ['      if (!isMissing(error)) throw error\n', '      throw error\n'],
      ["set({ state: 'ready' })", "set({ state: 'deleting' })"],
    ],
  },
  {
    file: 'src/server/provisioning/snapshots/delete-job.ts',
    tests: OF_REINSTALL,
    mutants: [['    await dropDisk(deps, target, row?.volume ?? null)\n', '']],
  },
  {
    file: 'src/server/provisioning/snapshots/snapshot-sweep.ts',
    tests: OF_SNAPSHOTS,
    mutants: [
      ['      lte(snapshots.expiresAt, now),\n', ''],
      ['        lte(snapshots.triedAt, new Date(now.getTime() - RETRY_MS)),\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/reinstall/snapshot-step.ts',
    tests: OF_REINSTALL,
    mutants: [
      ['      await hypervisor.deleteSnapshot(vm, snapshot.vmSnapshot)\n', ''],
      ['      await db.delete(snapshots).where(eq(snapshots.id, snapshot.id))\n', ''],
      ['await forgetUntaken(db, input.snapshot.id)', 'return'],
    ],
  },
  {
    file: 'src/server/features/servers/snapshot-server.ts',
    tests: OF_SNAPSHOTS,
    mutants: [
      [', eq(snapshots.instanceId, id))', ', eq(snapshots.id, snapshotId))'],
      ['        requireRoom()\n', ''],
    ],
  },
  {
    file: 'src/server/features/servers/snapshot-server.ts',
    tests: OF_ROLLBACK,
    mutants: [['        requireTyped(row, confirm)\n', '']],
  },
  {
    file: 'src/server/hypervisor/snapshots/snapshot-acts.ts',
    tests: [...OF_ACTS, ...OF_SNAPSHOTS],
    mutants: [
      ['        requireRoom(view)\n', ''],
      ['found.snapstate !== undefined', 'false'],
    ],
  },
  {
    file: 'src/server/hypervisor/disks/disk-acts.ts',
    tests: OF_REINSTALL,
    mutants: [['...keep, ...(await volumesOfSnapshots(client, place))', '...keep']],
  },
  {
    file: 'src/server/hypervisor/disks/disk-acts.ts',
    tests: ['src/server/hypervisor/disks/system-of-vm.test.ts'],
    mutants: [
      ['now[key] === wanted[key] && next[key] === wanted[key]', 'now[key] === wanted[key]'],
      ['changed.filter((key) => !isSet(key))', '[]'],
      ['hasDisk(disks) && isDone(disks)', 'hasDisk(disks) && isOf(disks, system)'],
      ['keepsSystem ? undefined : source.ostype', 'source.ostype'],
    ],
  },
]
