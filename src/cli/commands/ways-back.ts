import { api } from '#shared/api/index.ts'
import { confirmLoss } from '../terminal/terminal.ts'
import { plain } from '../terminal/width.ts'
import {
  type Command,
  numberOf,
  ONCE,
  SERVER,
  showDone,
  showList,
  type World,
  YES,
} from './command.ts'
import { serverId } from './one-server.ts'
import { WAIT, waitForJob } from './wait.ts'

const SNAPSHOT = { ...SERVER, snapshot: { says: 'its id' } }
const BACKUP = { ...SERVER, backup: { says: 'its id' } }
const NAME = { name: { takes: 'text', says: 'what it is called; its time by default' } }

type Started = { jobId: string }

/** Starts the work, waits for it where asked to, and says what was done. */
async function does(
  world: World,
  id: number,
  start: Promise<Started>,
  [underWay, done]: [string, string],
): Promise<void> {
  const started = await start
  await waitForJob(world, id, started.jobId)
  showDone(world, started, world.given.has('wait') ? done : underWay)
}

export const snapshotCommands: Command[] = [
  {
    name: 'servers snapshot list',
    says: 'The snapshots of a server',
    takes: SERVER,
    examples: ['hushbox servers snapshot list web'],
    calls: [api.snapshots.list],
    async run(world) {
      const id = await serverId(world)
      const { snapshots } = await world.session().call(api.snapshots.list, { params: { id } })
      showList(world, snapshots, {
        ID: (one) => one.id,
        NAME: (one) => one.name,
        STATE: (one) => one.state,
        TAKEN: (one) => one.takenAt,
        EXPIRES: (one) => one.expiresAt,
        SYSTEM: (one) => one.osType,
      })
    },
  },
  {
    name: 'servers snapshot take',
    says: 'Take a snapshot of the disks; it deletes itself in time',
    takes: SERVER,
    flags: {
      ...NAME,
      days: { takes: 'days', says: 'how long it is kept; as long as possible by default' },
      ...WAIT,
      ...ONCE,
    },
    examples: ['hushbox servers snapshot take web --name "before the upgrade" --days 3 --wait'],
    calls: [api.snapshots.take],
    async run(world) {
      const id = await serverId(world)
      const [name, days] = [world.given.text('name'), world.given.text('days')]
      const body = {
        ...(name !== undefined && { name }),
        ...(days !== undefined && { days: numberOf(days, '--days') }),
      }
      const start = world.session().call(api.snapshots.take, { params: { id }, body })
      await does(world, id, start, ['The snapshot is being taken.', 'The snapshot is taken.'])
    },
  },
  {
    name: 'servers snapshot rollback',
    says: 'Bring the disks back to a snapshot; what was written since is lost',
    takes: SNAPSHOT,
    flags: { ...YES, ...WAIT, ...ONCE },
    examples: ['hushbox servers snapshot rollback web 3 --yes --wait'],
    calls: [api.snapshots.list, api.snapshots.rollBack],
    async run(world) {
      const snapshotId = numberOf(world.given.values.snapshot ?? '', 'The id of a snapshot')
      const id = await serverId(world)
      const { confirm } = await world.session().call(api.snapshots.list, { params: { id } })
      await confirmLoss(world.terminal, {
        isAgreed: world.given.has('yes'),
        loss: `All that was written on ${plain(confirm)} since snapshot ${snapshotId} is lost.`,
        word: confirm,
      })
      const request = { params: { id, snapshotId }, body: { confirm } }
      const start = world.session().call(api.snapshots.rollBack, request)
      await does(world, id, start, ['The server is going back.', 'The server went back.'])
    },
  },
  {
    name: 'servers snapshot delete',
    says: 'Delete a snapshot',
    takes: SNAPSHOT,
    flags: { ...YES, ...WAIT },
    examples: ['hushbox servers snapshot delete web 3 --yes'],
    calls: [api.snapshots.remove],
    async run(world) {
      const snapshotId = numberOf(world.given.values.snapshot ?? '', 'The id of a snapshot')
      const id = await serverId(world)
      await confirmDelete(world, 'snapshot', snapshotId)
      const start = world.session().call(api.snapshots.remove, { params: { id, snapshotId } })
      await does(world, id, start, ['The snapshot is being deleted.', 'The snapshot is deleted.'])
    },
  },
]

const confirmDelete = (world: World, what: string, id: number) =>
  confirmLoss(world.terminal, {
    isAgreed: world.given.has('yes'),
    loss: `This deletes ${what} ${id}.`,
    word: String(id),
  })

export const backupCommands: Command[] = [
  {
    name: 'servers backup list',
    says: 'The backups of a server',
    takes: SERVER,
    examples: ['hushbox servers backup list web'],
    calls: [api.backups.list],
    async run(world) {
      const id = await serverId(world)
      const { backups } = await world.session().call(api.backups.list, { params: { id } })
      showList(world, backups, {
        ID: (one) => one.id,
        NAME: (one) => one.name,
        STATE: (one) => one.state,
        MADE: (one) => one.takenAt,
        BYTES: (one) => one.sizeBytes,
        PROTECTED: (one) => one.isProtected,
      })
    },
  },
  {
    name: 'servers backup make',
    says: 'Back up the disks of a server while it runs',
    takes: SERVER,
    flags: { ...NAME, ...WAIT, ...ONCE },
    examples: ['hushbox servers backup make web --wait'],
    calls: [api.backups.make],
    async run(world) {
      const id = await serverId(world)
      const name = world.given.text('name')
      const body = name === undefined ? {} : { name }
      const start = world.session().call(api.backups.make, { params: { id }, body })
      await does(world, id, start, ['The backup is being made.', 'The backup is made.'])
    },
  },
  {
    name: 'servers backup restore',
    says: 'Replace the disks by those of a backup; what was written since is lost',
    takes: BACKUP,
    flags: { ...YES, ...WAIT, ...ONCE },
    examples: ['hushbox servers backup restore web 2 --yes --wait'],
    calls: [api.backups.list, api.backups.restore],
    async run(world) {
      const backupId = numberOf(world.given.values.backup ?? '', 'The id of a backup')
      const id = await serverId(world)
      const { confirm, snapshots } = await world
        .session()
        .call(api.backups.list, { params: { id } })
      const also = snapshots > 0 ? ` and its snapshots (${snapshots})` : ''
      await confirmLoss(world.terminal, {
        isAgreed: world.given.has('yes'),
        loss: `All that was written on ${plain(confirm)} since backup ${backupId}${also} is lost.`,
        word: confirm,
      })
      const request = { params: { id, backupId }, body: { as: 'same' as const, confirm } }
      const start = world.session().call(api.backups.restore, request)
      await does(world, id, start, ['The backup is being restored.', 'The backup is restored.'])
    },
  },
  {
    name: 'servers backup delete',
    says: 'Delete a backup',
    takes: BACKUP,
    flags: { ...YES, ...WAIT },
    examples: ['hushbox servers backup delete web 2 --yes'],
    calls: [api.backups.remove],
    async run(world) {
      const backupId = numberOf(world.given.values.backup ?? '', 'The id of a backup')
      const id = await serverId(world)
      await confirmDelete(world, 'backup', backupId)
      const start = world.session().call(api.backups.remove, { params: { id, backupId } })
      await does(world, id, start, ['The backup is being deleted.', 'The backup is deleted.'])
    },
  },
]
