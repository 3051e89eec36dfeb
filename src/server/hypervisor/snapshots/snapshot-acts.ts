import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { AppError } from '#shared/errors.ts'
import { roomRefusal } from '#shared/rules/instance/snapshots.ts'
import { volumesOfSnapshots } from '../disks/snapshot-volumes.ts'
import { readDisks } from '../disks/vm-disks.ts'
import type { TaskOptions, VmAddress } from '../port/hypervisor.ts'
import type { SnapshotView, SoldConfig } from '../port/snapshots.ts'
import { follow } from '../vm/task-follow.ts'
import { requireSame, type VmAccess } from '../vm/vm-access.ts'
import { onLatestConfig } from '../vm-config/latest-config.ts'
import { snapshotTasks } from './snapshot-tasks.ts'
import { soldChange, soldValues } from './sold-config.ts'

/** These go back only to the newest snapshot of a volume (facts-2 §4). */
const ONLY_NEWEST = new Set(['zfspool', 'lvm'])

const refused = (message: string) =>
  new AppError('INVALID_STATE', message, { publicMessage: message })

/**
 * Snapshots of a VM. Every function can be repeated after a crash at any moment: the cluster's own
 * list says how far it got.
 */
export function snapshotActs(
  client: ProxmoxClient,
  { access, clock }: { access: VmAccess; clock: Clock },
) {
  const tasks = snapshotTasks(client, clock)

  const find = async (place: VmRef, name: string) =>
    (await client.qemu.snapshots(place)).find((snapshot) => snapshot.name === name)
  const isWhole = async (place: VmRef, name: string) => {
    const found = await find(place, name)
    return found !== undefined && found.snapstate === undefined
  }
  const isGone = async (place: VmRef, name: string) => (await find(place, name)) === undefined

  const disksOf = async (place: VmRef, vm: VmAddress) => {
    const config = await client.qemu.config(place)
    requireSame(config, vm)
    const current = await client.qemu.config(place, { current: true })
    return { config, ...readDisks(current, config, place.vmid) }
  }

  const look = async (place: VmRef, vm: VmAddress): Promise<SnapshotView> => {
    const { volume } = await disksOf(place, vm)
    const listed = await client.qemu.snapshots(place)
    const stores = await client.nodes.storage(place.node, { content: 'images' })
    const store = stores.find(({ storage }) => storage === volume.split(':')[0])
    const { used = 0, total = 0 } = store ?? {}
    return {
      snapshots: listed.map(({ name, description, snaptime, snapstate }) => ({
        name,
        description: description ?? '',
        takenAt: snaptime === undefined ? undefined : new Date(snaptime * 1000),
        isWhole: snapstate === undefined,
      })),
      volume,
      room: store && { storage: store.storage, used, total },
      onlyNewest: store !== undefined && ONLY_NEWEST.has(store.type),
    }
  }

  const remove = async (place: VmRef, name: string, options: TaskOptions): Promise<void> => {
    const found = await find(place, name)
    if (!found) return
    // A volume may lack what was never made, or is deleted already; nothing else removes it then.
    const isForced = found.snapstate !== undefined
    await tasks.run(place, () => client.qemu.deleteSnapshot(place, { name, isForced }), {
      isDone: () => isGone(place, name),
      options,
    })
  }

  const requireRoom = ({ room }: SnapshotView) => {
    const why = room && roomRefusal(room)
    if (why !== undefined) throw refused(why)
  }

  return {
    snapshots: (vm: VmAddress): Promise<SnapshotView> => access.at(vm, (place) => look(place, vm)),

    takeSnapshot: (
      vm: VmAddress,
      snapshot: { name: string; description: string },
      options: TaskOptions = {},
    ): Promise<{ volume: string }> =>
      access.at(vm, async (place) => {
        const { name } = snapshot
        await tasks.settle(place, options)
        const view = await look(place, vm)
        const found = view.snapshots.find((one) => one.name === name)
        if (found?.isWhole) return { volume: view.volume }
        // Left half made by a worker that died.
        if (found) await remove(place, name, options)
        requireRoom(view)
        await tasks.run(place, () => client.qemu.takeSnapshot(place, snapshot), {
          isDone: () => isWhole(place, name),
          options,
        })
        return { volume: view.volume }
      }),

    deleteSnapshot: (vm: VmAddress, name: string, options: TaskOptions = {}): Promise<void> =>
      access.own(vm, async (place) => {
        await tasks.settle(place, options)
        await remove(place, name, options)
      }),

    rollBackTo: (vm: VmAddress, name: string, options: TaskOptions = {}): Promise<void> =>
      access.own(vm, async (place) => {
        await tasks.settle(place, options)
        const found = await find(place, name)
        if (!found) throw refused('The cluster no longer has this snapshot.')
        // Whether a lost request was carried out cannot be seen: going back twice is harmless.
        const isDone = () => Promise.resolve(false)
        await tasks.run(place, () => client.qemu.rollBack(place, name), { isDone, options })
      }),

    /** The same VM, whatever a rollback makes of its configuration. */
    soldConfig: (vm: VmAddress): Promise<SoldConfig> =>
      access.config(vm, ({ values }) => ({ values: soldValues(values) })),

    applySoldConfig: (
      vm: VmAddress,
      { values: wanted }: SoldConfig,
      options: TaskOptions = {},
    ): Promise<void> =>
      access.own(vm, (place) =>
        onLatestConfig(async () => {
          const { values, digest } = await client.qemu.config(place)
          const { set, unset } = soldChange(values, wanted)
          if (Object.keys(set).length + unset.length === 0) return
          await follow(client, await client.qemu.setConfig(place, { set, unset, digest }), options)
        }),
      ),

    /** Removes this disk if the VM no longer has it attached and no snapshot needs it. */
    dropSpareDisk: (vm: VmAddress, volume: string, options: TaskOptions = {}): Promise<void> =>
      access.at(vm, (place) =>
        onLatestConfig(async () => {
          const { config, spare } = await disksOf(place, vm)
          const found = spare.find((disk) => disk.volume === volume)
          if (!found || (await volumesOfSnapshots(client, place)).has(volume)) return
          const change = { unset: [found.key], digest: config.digest }
          await follow(client, await client.qemu.setConfig(place, change), options)
        }),
      ),
  }
}
