import { createHash } from 'node:crypto'
import type { Context } from '../context/context.ts'
import type { Storage, Volume } from '../state/types.ts'
import { diskInArchive, savedDrives } from '../vm/archives.ts'
import { findVolume, volumeKey } from '../vm/disks.ts'
import { type JobsOf, textArg } from './shared.ts'

type Args = Record<string, unknown>

function storageOf(sim: Context, args: Args): Storage {
  const storage = sim.state.storages.get(textArg(args, 'storage') ?? '')
  if (!storage) throw new Error('the storage does not exist')
  return storage
}

function addImage(
  sim: Context,
  { storage, node, name }: { storage: Storage; node: string; name: string },
  content: Pick<Volume, 'size' | 'data' | 'checksum'>,
): void {
  const volume = {
    volid: `${storage.id}:iso/${name}`,
    storage: storage.id,
    content: 'iso' as const,
    format: 'iso',
    ctime: Math.floor(sim.now() / 1000),
    ...content,
    ...(storage.shared ? {} : { node }),
  }
  sim.state.volumes.set(volumeKey(volume), volume)
}

const checksumOf = ({ checksum, data = '' }: Volume, algorithm: string) =>
  checksum ?? createHash(algorithm).update(Buffer.from(data, 'base64')).digest('hex')

/** Files that no VM has attached: uploaded, downloaded, and deleted. */
export const imageJobs: JobsOf = (sim) => ({
  imgcopy: async (work, args) => {
    const storage = storageOf(sim, args)
    const data = textArg(args, 'data') ?? ''
    const name = textArg(args, 'name') ?? ''
    work.log('starting file import from: /var/tmp/pveupload')
    work.log(`target node: ${work.task.node}`)
    await work.wait(sim.taskMs / 4)
    const size = Buffer.from(data, 'base64').length
    addImage(sim, { storage, node: work.task.node, name }, { size, data })
    // The file moved: nothing of it stays with the task.
    delete work.task.job.args.data
    work.log('finished file import successfully')
  },
  download: async (work, args) => {
    const storage = storageOf(sim, args)
    const { node } = work.task
    const name = textArg(args, 'name') ?? ''
    const url = textArg(args, 'url') ?? ''
    const wanted = textArg(args, 'checksum')
    const algorithm = textArg(args, 'algorithm') ?? 'sha256'
    work.log(`downloading ${url} to ${name}`)
    const there = findVolume(sim.state, `${storage.id}:iso/${name}`, node)
    if (there) {
      if (wanted === undefined) throw new Error(`refusing to override existing file '${name}'`)
      requireChecksum(checksumOf(there, algorithm), wanted)
      work.log('OK, got correct file already, no need to download')
      return
    }
    await work.wait(sim.taskMs)
    const verifies = args.verifies !== false
    const { size, checksum } = await sim.internet({ url, algorithm, verifies })
    if (wanted !== undefined) requireChecksum(checksum, wanted)
    addImage(sim, { storage, node, name }, { size, checksum })
    work.log(`download of '${url}' to '${name}' finished`)
  },
  imgdel: async (work, args) => {
    await work.wait(sim.taskMs / 8)
    const volid = textArg(args, 'volid') ?? ''
    const key = textArg(args, 'key') ?? ''
    const { archive } = sim.state.volumes.get(key) ?? {}
    if (archive?.isProtected) {
      const [storage = '', ...name] = volid.split(':')
      throw new Error(`cannot remove protected volume '${name.join(':')}' on '${storage}'`)
    }
    const isThere = sim.state.volumes.delete(key)
    const disks = savedDrives(archive?.config ?? {}).map((disk) => diskInArchive(volid, disk.key))
    await sim.processes.removeDisks(disks)
    if (!isThere) work.log(`disk image '${volid}' does not exist`)
    work.log(`Removed volume '${volid}'`)
  },
})

function requireChecksum(got: string, wanted: string): void {
  if (got === wanted.toLowerCase()) return
  throw new Error(`checksum mismatch: got '${got}' != expect '${wanted}', aborting`)
}
