import { api } from '#shared/api/index.ts'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import { misuse } from '../terminal/failure.ts'
import { confirmLoss } from '../terminal/terminal.ts'
import { plain } from '../terminal/width.ts'
import { type Flag, showDone, type World } from './command.ts'
import { serverId } from './one-server.ts'
import { LOGIN_FLAGS, loginWishes } from './shop.ts'
import { waitForJob } from './wait.ts'

export const REINSTALL_FLAGS: Record<string, Flag> = {
  os: { takes: 'system', says: 'the same as now by default' },
  ...LOGIN_FLAGS,
  'no-ssh-key': { says: 'a password instead of the SSH keys of yours that it has now' },
  'snapshot-first': { says: 'keep the old disk as a snapshot' },
}

export async function reinstall(world: World): Promise<void> {
  const { given, terminal } = world
  if (given.has('ssh-key') && given.has('no-ssh-key')) {
    throw misuse('Choose one of --ssh-key and --no-ssh-key.')
  }
  const { sshKeyIds: named, ...wishes } = loginWishes(world)
  const session = world.session()
  const id = await serverId(world)
  const preview = await session.call(api.servers.reinstallPreview, { params: { id } })
  const osType = given.text('os') ?? preview.osType
  const present = given.has('no-ssh-key') || isWindows(osType) ? [] : preview.sshKeyIds
  const sshKeyIds = named ?? present
  const lost = `This replaces the system of ${plain(preview.confirm)} and all that is on its disk.`
  await confirmLoss(terminal, {
    isAgreed: given.has('yes'),
    loss: `${lost} ${loginAfter(sshKeyIds, named ? 'gets' : 'keeps')}`,
    word: preview.confirm,
  })
  const snapshotFirst = given.has('snapshot-first')
  const body = { osType, sshKeyIds, ...wishes, snapshotFirst, confirm: preview.confirm }
  const started = await session.call(api.servers.reinstall, { params: { id }, body })
  await waitForJob(world, id, started.jobId)
  const words = given.has('wait') ? 'is installed' : 'is being installed'
  showDone(world, started, `${osType} ${words} on server ${id}.`)
}

function loginAfter(keys: readonly number[], verb: 'gets' | 'keeps'): string {
  if (keys.length === 0) return 'It gets a new password and no SSH keys.'
  return `It ${verb} your SSH ${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')} and has no password.`
}
