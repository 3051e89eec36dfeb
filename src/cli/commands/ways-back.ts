import { api } from '#shared/api/index.ts'
import { Failure } from '../terminal/failure.ts'
import { confirmLoss } from '../terminal/terminal.ts'
import { plain } from '../terminal/width.ts'
import {
  type Command,
  idOf,
  ONCE,
  SERVER,
  showDone,
  showList,
  WHOLE_NUMBER,
  type World,
  YES,
} from './command.ts'
import { serverId } from './one-server.ts'
import { WAIT, waitForJob } from './wait.ts'

const SNAPSHOT = { ...SERVER, snapshot: idOf('servers snapshot list') }
const BACKUP = { ...SERVER, backup: idOf('servers backup list') }
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
      days: {
        takes: 'days',
        form: WHOLE_NUMBER,
        says: 'how long it is kept; as long as possible by default',
      },
      ...WAIT,
      ...ONCE,
    },
    examples: ['hushbox servers snapshot take web --name "before the upgrade" --days 3 --wait'],
    calls: [api.snapshots.take],
    async run(world) {
      const id = await serverId(world)
      const [name, days] = [world.given.text('name'), world.given.number('days')]
      const body = {
        ...(name !== undefined && { name }),
        ...(days !== undefined && { days }),
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
      const snapshotId = world.given.id('snapshot')
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
      const snapshotId = world.given.id('snapshot')
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

/** The server whose disks are replaced, and what is lost with them. */
async function restoreOf(world: World, id: number, backupId: number) {
  const into = world.given.text('into')
  const onto = into === undefined ? id : await serverId(world, into)
  const { confirm, snapshots, others } = await world
    .session()
    .call(api.backups.list, { params: { id } })
  if (onto === id) {
    const also = snapshots > 0 ? ` and its snapshots (${snapshots})` : ''
    const loss = `All that was written on ${plain(confirm)} since backup ${backupId}${also} is lost.`
    return { onto, body: { as: 'same' as const, confirm }, loss }
  }
  const other = others.find((one) => one.id === onto)
  if (!other) {
    const message = `Server ${onto} cannot get this backup: it is not one of yours on the same cluster.`
    throw new Failure('notFound', message)
  }
  const loss = `All that is on ${plain(other.confirm)} and its snapshots is lost.`
  return { onto, body: { as: 'new' as const, into: onto, confirm: other.confirm }, loss }
}

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
        STATE: (one) => (one.isWaiting ? 'waiting' : one.state),
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
    flags: {
      into: {
        takes: 'server',
        says: 'replace the disks of this other server of yours instead, by its id or its name',
        calls: [api.client.instances],
      },
      ...YES,
      ...WAIT,
      ...ONCE,
    },
    examples: [
      'hushbox servers backup restore web 2 --yes --wait',
      'hushbox servers backup restore web 2 --into spare --yes --wait',
    ],
    calls: [api.backups.list, api.backups.restore],
    async run(world) {
      const backupId = world.given.id('backup')
      const id = await serverId(world)
      const { onto, body, loss } = await restoreOf(world, id, backupId)
      const { confirm } = body
      await confirmLoss(world.terminal, { isAgreed: world.given.has('yes'), loss, word: confirm })
      const request = { params: { id, backupId }, body }
      const start = world.session().call(api.backups.restore, request)
      await does(world, onto, start, ['The backup is being restored.', 'The backup is restored.'])
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
      const backupId = world.given.id('backup')
      const id = await serverId(world)
      await confirmDelete(world, 'backup', backupId)
      const start = world.session().call(api.backups.remove, { params: { id, backupId } })
      await does(world, id, start, ['The backup is being deleted.', 'The backup is deleted.'])
    },
  },
]
