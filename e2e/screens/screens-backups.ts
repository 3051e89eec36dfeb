import type { BackupOverview, BackupSchedule, Backups } from '#shared/api/servers/backups.ts'
import type { Examination } from '#shared/api/servers/clusters.ts'
import type { Cds } from '#shared/api/servers/isos.ts'
import { backupRefusal } from '#shared/rules/instance/backups.ts'
import type { Answers } from '../acts/network.ts'
import { pressAndAsk, type Screen } from './answers/screen-acts.ts'
import { answers, HOUR_MS, inMs, LONG_LABEL, PATH } from './answers/server-states.ts'

type Backup = Backups['backups'][number]

const GIB = 1024 ** 3

const backup = (id: number, given: Partial<Backup>): Backup => ({
  id,
  name: 'Backup of 2026-11-14 03:12',
  state: 'ready',
  isWaiting: false,
  origin: 'hand',
  osType: 'Debian 12',
  takenAt: inMs(-id * 26 * HOUR_MS),
  sizeBytes: 7.4 * GIB,
  isProtected: false,
  isThere: true,
  ...given,
})

const NO_BACKUPS: Backups = {
  backups: [],
  quota: { used: 0, most: 4 },
  refusal: null,
  snapshots: 2,
  confirm: LONG_LABEL,
  others: [{ id: 8, label: 'mail', confirm: 'mail' }],
}

const SOME_BACKUPS: Backups = {
  ...NO_BACKUPS,
  backups: [
    backup(4, {
      name: 'Backup of now',
      state: 'creating',
      isWaiting: true,
      takenAt: null,
      sizeBytes: null,
    }),
    backup(3, { origin: 'schedule' }),
    backup(2, { name: 'Before the update to 5.0', isProtected: true }),
    backup(1, { name: 'The first one', osType: 'Rocky Linux 9', isThere: false }),
  ],
  quota: { used: 4, most: 4 },
  refusal: 'All 4 backups of this server are made. Delete one first.',
}

const WAITING: Backups = {
  ...NO_BACKUPS,
  backups: SOME_BACKUPS.backups.filter(({ id }) => id !== 3),
  quota: { used: 3, most: 4 },
  refusal: backupRefusal(3, { limit: 4, hasStorage: true, isUnderWay: true }) ?? null,
}

const NOT_GRANTED: Backups = {
  ...NO_BACKUPS,
  quota: { used: 0, most: 0 },
  refusal: 'Backups are not part of this package.',
}

const NO_SCHEDULE: BackupSchedule = {
  every: 'none',
  window: { from: 0, hours: 8, weekday: null },
  keep: 1,
  mostKept: 4,
  refusal: null,
  nextAt: null,
  failure: null,
}

const FAILED_SCHEDULE: BackupSchedule = {
  ...NO_SCHEDULE,
  every: 'week',
  window: { from: 22, hours: 4, weekday: 'Sunday' },
  keep: 3,
  nextAt: inMs(HOUR_MS),
  failure: {
    at: inMs(-2 * HOUR_MS),
    why: 'The storage for backups is full. Ask the operator to make room. The server is as it was.',
  },
}

const backedUp = (list: Backups, schedule = NO_SCHEDULE): Answers => ({
  ...answers({ daysWithoutBackup: schedule.failure ? 12 : null }),
  '**/api/instances/7/backups': list,
  '**/api/instances/7/backup-schedule': schedule,
})

const OVERVIEW: BackupOverview = {
  without: [{ instanceId: 7, label: LONG_LABEL, client: 'amber-otter', days: 12, every: 'none' }],
  failed: [
    {
      instanceId: 7,
      label: 'mail',
      client: 'amber-otter',
      at: inMs(-2 * HOUR_MS),
      why: 'The storage for backups is full. Ask the operator to make room.',
    },
  ],
  left: [
    {
      id: 3,
      cluster: 'fra',
      storage: 'store',
      volume: 'store:backup/vzdump-qemu-10023-2026_11_14-03_12_00.vma.zst',
      vmId: 10_023,
      why: 'Not every node can say now whether store has the backup.',
    },
  ],
  storages: [
    {
      cluster: 'fra',
      storage: 'store',
      usedBytes: 812 * GIB,
      totalBytes: 1024 * GIB,
      oursBytes: 640 * GIB,
      count: 86,
      comingBytes: 380 * GIB,
      fullInDays: 9,
    },
  ],
}

const REUSED_IDS: Examination = {
  version: '9.1.1',
  missing: [],
  optional: [],
  commands: [],
  reused: [
    { vmId: 10_023, name: 'build-runner-with-a-long-name', storages: ['store', 'pbs'] },
    { vmId: 10_040, name: 'test', storages: ['store'] },
  ],
}

const EMPTY_DRIVE: Cds = {
  cd: null,
  isos: [
    { id: 1, name: 'Debian 12 installer' },
    { id: 2, name: 'Rescue, SystemRescue 12 with every file system that there is' },
  ],
  rescue: 'Rescue, SystemRescue 12 with every file system that there is',
  ownRefusal: null,
  own: null,
}

const NOTHING_ON_OFFER: Cds = { ...EMPTY_DRIVE, isos: [], rescue: null }

const withDrive = (drive: Cds, kind: 'iso' | 'rescue' | null = null): Answers => ({
  ...answers({ cd: kind }),
  '**/api/instances/7/iso': {
    ...drive,
    cd: kind && {
      kind,
      name: 'Debian 12 installer',
      putInAt: inMs(-HOUR_MS),
      bootedAt: inMs(-HOUR_MS),
    },
  },
})

const BACKUPS_TAB = `${PATH}?tab=backups`
const RESCUE_TAB = `${PATH}?tab=rescue`

/** Backups and CDs of a server, in every state, and each question. */
export const BACKUP_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'backups', path: BACKUPS_TAB, answers: backedUp(SOME_BACKUPS) },
  { role: 'client', name: 'backups-none', path: BACKUPS_TAB, answers: backedUp(NO_BACKUPS) },
  {
    role: 'client',
    name: 'backups-not-granted',
    path: BACKUPS_TAB,
    answers: backedUp(NOT_GRANTED),
  },
  {
    role: 'client',
    name: 'backup-restore',
    path: BACKUPS_TAB,
    answers: backedUp(SOME_BACKUPS),
    prepare: pressAndAsk(/^Restore Before the update/),
  },
  { role: 'client', name: 'backup-waiting', path: BACKUPS_TAB, answers: backedUp(WAITING) },
  {
    role: 'client',
    name: 'backup-restore-other',
    path: BACKUPS_TAB,
    answers: backedUp(SOME_BACKUPS),
    async prepare(page) {
      await pressAndAsk(/^Restore Before the update/)(page)
      await page.getByLabel('Restore to').selectOption('mail')
    },
  },
  {
    role: 'client',
    name: 'backup-schedule-failed',
    path: BACKUPS_TAB,
    answers: backedUp(SOME_BACKUPS, FAILED_SCHEDULE),
  },
  {
    role: 'client',
    name: 'backup-schedule',
    path: BACKUPS_TAB,
    answers: backedUp(SOME_BACKUPS, FAILED_SCHEDULE),
    prepare: pressAndAsk('Change the schedule'),
  },
  {
    role: 'admin',
    name: 'backups-overview',
    path: '/settings?tab=backups',
    answers: { '**/api/backups': OVERVIEW },
  },
  { role: 'client', name: 'rescue', path: RESCUE_TAB, answers: withDrive(EMPTY_DRIVE) },
  { role: 'client', name: 'rescue-none', path: RESCUE_TAB, answers: withDrive(NOTHING_ON_OFFER) },
  {
    role: 'client',
    name: 'rescue-on',
    path: RESCUE_TAB,
    answers: withDrive(EMPTY_DRIVE, 'rescue'),
  },
  {
    role: 'client',
    name: 'rescue-end-question',
    path: RESCUE_TAB,
    answers: withDrive(EMPTY_DRIVE, 'rescue'),
    prepare: pressAndAsk('End the rescue'),
  },
  { role: 'client', name: 'rescue-cd', path: RESCUE_TAB, answers: withDrive(EMPTY_DRIVE, 'iso') },
  {
    role: 'client',
    name: 'rescue-question',
    path: RESCUE_TAB,
    answers: withDrive(EMPTY_DRIVE),
    prepare: pressAndAsk('Start in rescue'),
  },
  {
    role: 'client',
    name: 'rescue-cd-question',
    path: RESCUE_TAB,
    answers: withDrive(EMPTY_DRIVE),
    prepare: pressAndAsk(/^Start from it: Debian 12 installer/),
  },
  {
    role: 'client',
    name: 'rescue-own-image',
    path: RESCUE_TAB,
    answers: withDrive(EMPTY_DRIVE),
    prepare: pressAndAsk('Use an image of your own'),
  },
  {
    role: 'client',
    name: 'rescue-own-image-wrong',
    path: RESCUE_TAB,
    answers: withDrive(EMPTY_DRIVE),
    async prepare(page) {
      await pressAndAsk('Use an image of your own')(page)
      await page.getByLabel('Address').fill('https://images.example.net/a-system.iso')
      await page.getByLabel('SHA-256').fill('abc')
    },
  },
  {
    role: 'admin',
    name: 'clusters-reused-ids',
    path: '/clusters?tab=permissions',
    answers: { '**/api/clusters/*/permissions': REUSED_IDS },
    prepare: pressAndAsk('Settings of Demo cluster'),
  },
]
