import { volumeKey } from '../vm/disks.ts'
import { type JobsOf, textArg } from './shared.ts'

/** Files that belong to no VM: uploaded, and deleted. */
export const imageJobs: JobsOf = (sim) => ({
  imgcopy: async (work, args) => {
    const storage = sim.state.storages.get(textArg(args, 'storage') ?? '')
    if (!storage) throw new Error('the storage does not exist')
    const data = textArg(args, 'data') ?? ''
    const name = textArg(args, 'name') ?? ''
    work.log('starting file import from: /var/tmp/pveupload')
    work.log(`target node: ${work.task.node}`)
    await work.wait(sim.taskMs / 4)
    const volume = {
      volid: `${storage.id}:iso/${name}`,
      storage: storage.id,
      content: 'iso' as const,
      format: 'iso',
      size: Buffer.from(data, 'base64').length,
      ctime: Math.floor(sim.now() / 1000),
      data,
      ...(storage.shared ? {} : { node: work.task.node }),
    }
    sim.state.volumes.set(volumeKey(volume), volume)
    // The file moved: nothing of it stays with the task.
    delete work.task.job.args.data
    work.log('finished file import successfully')
  },
  imgdel: async (work, args) => {
    await work.wait(sim.taskMs / 8)
    const volid = textArg(args, 'volid') ?? ''
    const isThere = sim.state.volumes.delete(textArg(args, 'key') ?? '')
    if (!isThere) work.log(`disk image '${volid}' does not exist`)
    work.log(`Removed volume '${volid}'`)
  },
})
