import type { Archive } from '#proxmox/backups/answers.ts'
import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import type {
  ArchiveRef,
  ArchiveView,
  BackupActs,
  BackupStorage,
  OtherVm,
} from '../port/backups.ts'
import { follow } from '../vm/task-follow.ts'
import { isSameVm, requireSame, type VmAccess } from '../vm/vm-access.ts'
import { parseSize } from '../vm-config/disk-size.ts'
import { onLatestConfig } from '../vm-config/latest-config.ts'
import { readBootDisk } from '../vm-config/vm-settings.ts'
import { backupTasks } from './backup-tasks.ts'
import { isEmptied } from './emptied-vm.ts'

const refused = (message: string) =>
  new AppError('INVALID_STATE', message, { publicMessage: message })

const KEY = /^(hb-[0-9a-f]{16})(\s|$)/

const viewOf = ({ volid, ctime, size, notes, protected: isProtected }: Archive): ArchiveView => ({
  volume: volid,
  key: KEY.exec(notes ?? '')?.[1],
  takenAt: ctime === undefined ? undefined : new Date(ctime * 1000),
  sizeBytes: size,
  isProtected,
})

/** Found by its volume, or, as long as we have not read that from the storage, by our key in its notes. */
const isMeant =
  ({ volume, key }: Omit<ArchiveRef, 'storage'>) =>
  (archive: ArchiveView) =>
    archive.volume === volume || archive.key === key

/**
 * Backups of a VM. Every function can be repeated after a crash at any moment: the storage's own list
 * says how far it got.
 */
export function backupActs(
  client: ProxmoxClient,
  { access, clock }: { access: VmAccess; clock: Clock },
): BackupActs {
  const tasks = backupTasks(client, clock)

  const list = async ({ node, vmid }: VmRef, storage: string): Promise<ArchiveView[]> =>
    (await client.backups.list({ node, storage }, vmid)).map(viewOf)

  const find = async (place: VmRef, ref: ArchiveRef): Promise<ArchiveView | undefined> =>
    (await list(place, ref.storage)).find(isMeant(ref))

  /** The archive that is to be restored, which may be another VM's. */
  const findOf = async ({ node, vmid }: VmRef, ref: ArchiveRef, of: OtherVm | undefined) => {
    const found = await find({ node, vmid: of?.vmId ?? vmid }, ref)
    if (found) return found
    if (!of) throw refused('The cluster no longer has this backup.')
    throw refused('The node of that server cannot read this backup. Choose one on the same node.')
  }

  return {
    async backupStorages() {
      const nodes = (await client.nodes.list()).filter(({ status }) => status === 'online')
      const found = new Map<string, BackupStorage>()
      for (const { node } of nodes) {
        for (const one of await client.nodes.storage(node, { content: 'backup' })) {
          const { storage, type, shared: isShared, used = 0, total = 0 } = one
          const before = found.get(storage)?.missingOn ?? nodes.map((other) => other.node)
          const missingOn = before.filter((other) => other !== node)
          found.set(storage, { storage, type, isShared, missingOn, used, total })
        }
      }
      return [...found.values()].toSorted((a, b) => a.storage.localeCompare(b.storage))
    },

    nodeOf: (vm) => access.own(vm, ({ node }) => Promise.resolve(node)),

    archives: (vm, storage) => access.own(vm, (place) => list(place, storage)),

    takeBackup: (vm, { storage, key, name }, options = {}) =>
      access.own(vm, async (place) => {
        await tasks.settle(place, options)
        const ref = { storage, key, volume: null }
        const before = await find(place, ref)
        if (before) return before
        const notes = `${key} ${name.replaceAll(/[{}\\\s]+/g, ' ')}`.slice(0, 200)
        const begin = async () => {
          const task = await client.backups.begin(place, { storage, notes })
          if (task !== undefined) return task
          // It moved since we looked: `access` looks again and comes back with the right node.
          throw new ProxmoxError({ kind: 'not-found', what: 'vm' }, `VM ${vm.vmId} is elsewhere`)
        }
        const isDone = async () => (await find(place, ref)) !== undefined
        await tasks.run(place, begin, { isDone, options })
        const made = await find(place, ref)
        if (!made) {
          throw refused(`The cluster reports a backup, but ${storage} has none. Ask the operator.`)
        }
        return made
      }),

    deleteBackup: (vm, ref, options = {}) =>
      access.own(vm, async (place) => {
        await tasks.settle(place, options)
        const { storage } = ref
        const at = { node: place.node, storage }
        for (const { volume } of (await list(place, storage)).filter(isMeant(ref))) {
          const isDone = async () =>
            !(await list(place, storage)).some((one) => one.volume === volume)
          await tasks.run(place, () => client.storage.remove(at, volume), { isDone, options })
        }
      }),

    async deleteArchive(vmid, ref, options = {}) {
      const { storage } = ref
      const nodes = await client.nodes.list()
      let isComplete = nodes.every(({ status }) => status === 'online')
      let isKnown = false
      for (const { node, status } of nodes) {
        if (status !== 'online') continue
        const stores = await client.nodes.storage(node, { content: 'backup' })
        const store = stores.find((one) => one.storage === storage)
        if (!store) continue
        isKnown = true
        if (store.shared) isComplete = true
        const at = { node, storage }
        for (const one of (await list({ node, vmid }, storage)).filter(isMeant(ref))) {
          const { volume: volid } = one
          if (one.isProtected) await client.backups.protect(at, { volid, isProtected: false })
          await follow(client, await client.storage.remove(at, volid), options)
        }
        if (store.shared) break
      }
      if (isKnown && isComplete) return
      const message = `Not every node can say now whether ${storage} has the backup.`
      throw new AppError('CLUSTER_UNAVAILABLE', message, { retryAfter: 60 })
    },

    protectBackup: (vm, ref, isProtected) =>
      access.own(vm, async (place) => {
        const found = await find(place, ref)
        if (!found) throw refused('The cluster no longer has this backup.')
        if (found.isProtected === isProtected) return
        const at = { node: place.node, storage: ref.storage }
        await client.backups.protect(at, { volid: found.volume, isProtected })
      }),

    archivedDisk: (vm, ref, of) =>
      access.at(vm, async (place) => {
        const { volume } = await findOf(place, ref, of)
        const at = { node: place.node, storage: ref.storage }
        const values = archivedValues(await client.backups.config(at, volume))
        const bytes = parseSize(values[readBootDisk(values)] ?? '')
        if (bytes === undefined) throw refused('This backup has no disk to start from.')
        return { sizeGb: bytes / 1024 ** 3 }
      }),

    restoreBackup: (vm, { archive: ref, sold, of }, options = {}) =>
      access.at(vm, async (place) => {
        await tasks.settle(place, options)
        const config = await client.qemu.config(place)
        if (!isEmptied(config)) requireSame(config, vm)
        // Before anything is deleted: an archive that is not there would leave no data at all.
        const { volume } = await findOf(place, ref, of)
        const anew = of && { storage: of.storage }
        // The archive of another VM has that one's marker.
        const set = of ? { ...sold.values, description: vm.marker ?? '' } : sold.values
        const begin = () => client.backups.restore(place, { archive: volume, set, anew })
        // Whether a lost request was carried out cannot be seen: restoring twice is harmless.
        const isDone = () => Promise.resolve(false)
        await tasks.restore(place, begin, { isDone, options })
      }),

    takeBackEmptied: (vm, { values: set }) =>
      access.at(vm, (place) =>
        onLatestConfig(async () => {
          const config = await client.qemu.config(place)
          if (isSameVm(config, vm)) return { hasDisk: hasBootDisk(config.values) }
          if (!isEmptied(config) || vm.marker === undefined) requireSame(config, vm)
          const { digest } = config
          const wanted = { ...set, description: vm.marker ?? '' }
          await follow(client, await client.qemu.setConfig(place, { set: wanted, digest }))
          return { hasDisk: false }
        }),
      ),
  }
}

/** The lines before the first section, which are those of a snapshot. */
function archivedValues(text: string): Record<string, string> {
  const [current = ''] = text.split(/^\[/m)
  const lines = current.split('\n').flatMap((line) => [/^([a-z]+\d*): (.*)$/.exec(line) ?? []])
  return Object.fromEntries(lines.flatMap(([, key, value]) => (key && value ? [[key, value]] : [])))
}

const hasBootDisk = (values: Readonly<Record<string, string>>) =>
  values[readBootDisk(values)] !== undefined
