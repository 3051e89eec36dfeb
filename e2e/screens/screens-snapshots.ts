import type { Snapshots } from '#shared/api/servers/snapshots.ts'
import type { Answers } from '../acts/network.ts'
import { pressAndAsk, type Screen } from './answers/screen-acts.ts'
import { answers, DAY_MS, HOUR_MS, inMs, LONG_LABEL, PATH } from './answers/server-states.ts'

type Snapshot = Snapshots['snapshots'][number]

const snapshot = (id: number, given: Partial<Snapshot>): Snapshot => ({
  id,
  name: 'Before the update to 5.0',
  state: 'ready',
  osType: 'Debian 12',
  takenAt: inMs(-id * 5 * HOUR_MS),
  expiresAt: inMs(id * DAY_MS + 3 * HOUR_MS),
  isOldDisk: false,
  removes: [],
  ...given,
})

const NONE: Snapshots = {
  snapshots: [],
  others: [],
  quota: { used: 0, most: 3 },
  longestDays: 7,
  refusal: null,
  confirm: LONG_LABEL,
}

const SOME: Snapshots = {
  ...NONE,
  snapshots: [
    snapshot(3, { name: 'Another one', state: 'creating', takenAt: null }),
    snapshot(2, {}),
    snapshot(1, {
      name: 'Before reinstalling, Rocky Linux 9',
      osType: 'Rocky Linux 9',
      isOldDisk: true,
      removes: ['Before the update to 5.0'],
    }),
  ],
  others: [{ name: 'operator-before-migration', takenAt: inMs(-9 * DAY_MS) }],
  quota: { used: 3, most: 3 },
  refusal: 'All 3 snapshots of this server are taken. Delete one first.',
}

const listed = (list: Snapshots): Answers => ({
  ...answers(),
  '**/api/instances/7/snapshots': list,
})
const TAB = `${PATH}?tab=snapshots`

/** The snapshots of a server: none, some in every state, and each question. */
export const SNAPSHOT_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'snapshots', path: TAB, answers: listed(SOME) },
  { role: 'client', name: 'snapshots-none', path: TAB, answers: listed(NONE) },
  {
    role: 'client',
    name: 'snapshots-without-cluster',
    path: TAB,
    answers: listed({ ...NONE, snapshots: [snapshot(1, {})], others: null }),
  },
  {
    role: 'client',
    name: 'snapshot-take',
    path: TAB,
    answers: listed(NONE),
    prepare: pressAndAsk(/^Take a snapshot/),
  },
  {
    role: 'client',
    name: 'snapshot-rollback',
    path: TAB,
    answers: listed(SOME),
    prepare: pressAndAsk(/^Roll back to Before reinstalling/),
  },
  {
    role: 'client',
    name: 'snapshot-delete',
    path: TAB,
    answers: listed(SOME),
    prepare: pressAndAsk(/^Delete Before the update/),
  },
]
