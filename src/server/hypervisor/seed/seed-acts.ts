import type { VmConfig, VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { AppError } from '#shared/errors.ts'
import { configChanges } from '../disks/config-changes.ts'
import type { SeedContent, TaskOptions, VmAddress } from '../port/hypervisor.ts'
import { type Seed, storeFor } from '../port/seed.ts'
import { follow } from '../vm/task-follow.ts'
import { requireSame, type VmAccess } from '../vm/vm-access.ts'
import { cloudInitSlot, insertedSeed, ownDriveIn, slotOf } from '../vm-config/cloud-init-drive.ts'
import { seedImage } from './seed-image.ts'
import { seedStores } from './seed-stores.ts'

const refused = (message: string) =>
  new AppError('INVALID_STATE', message, { publicMessage: NOT_HERE })

/** What a client reads. */
const NOT_HERE =
  'Start-up data cannot be given to a server here any more. Nothing is lost; the operator knows why.'

const NO_STORE =
  'No storage for ISO images on this node lets the account upload and delete: Cluster settings → Permissions says how to allow it.'
const NO_DRIVE = 'The VM has no cloud-init drive whose place an image could take.'
const OTHER_FORMAT = 'The template sets another citype than nocloud: remove that option from it.'

/**
 * The client's user data for a VM's first start. Proxmox takes no snippets over its API, so we upload
 * an image and put it where the VM's cloud-init drive is: two drives of this kind would compete.
 */
export function seedActs(
  client: ProxmoxClient,
  { access, clock }: { access: VmAccess; clock: Clock },
) {
  const changes = configChanges(client, clock)

  const configAt = async (place: VmRef, vm: VmAddress): Promise<VmConfig> => {
    const config = await client.qemu.config(place)
    requireSame(config, vm)
    return config
  }

  const upload = async (place: VmRef, { node, volume }: Seed, content: SeedContent) => {
    const [meta, network] = await Promise.all([
      client.qemu.cloudInit(place, 'meta'),
      client.qemu.cloudInit(place, 'network'),
    ])
    const { storage, name } = partsOf(volume)
    const file = { name, content: seedImage({ meta, network }, content) }
    await follow(client, await client.storage.uploadIso({ node, storage }, file))
  }

  const eject = (vm: VmAddress, { volume }: Seed, options: TaskOptions): Promise<void> =>
    access.at(vm, async (place) => {
      await changes.settle(place, options)
      const { values, digest } = await configAt(place, vm)
      const slot = slotOf(values, volume)
      if (slot === undefined) return
      const isDone = async () => slotOf((await configAt(place, vm)).values, volume) === undefined
      const set = ownDriveIn(values, slot)
      await changes.send(place, { set, digest }, { isDone, options })
    })

  return {
    seedStore: (vm: VmAddress): Promise<{ node: string; storage: string }> =>
      access.at(vm, async ({ node }) => {
        const [resources, permissions] = await Promise.all([
          client.cluster.resources({ type: 'storage' }),
          client.access.permissions(),
        ])
        const store = storeFor(seedStores(resources, permissions), node)
        if (!store) throw refused(NO_STORE)
        return { node, storage: store.name }
      }),

    insertSeed: (
      vm: VmAddress,
      seed: Seed,
      content: SeedContent,
      options: TaskOptions = {},
    ): Promise<void> =>
      access.at(vm, async (place) => {
        await changes.settle(place, options)
        const { values, digest } = await configAt(place, vm)
        // Inserted only after its upload.
        if (slotOf(values, seed.volume) !== undefined) return
        const slot = cloudInitSlot(values)
        if (slot === undefined) throw refused(NO_DRIVE)
        if ((values.citype ?? 'nocloud') !== 'nocloud') throw refused(OTHER_FORMAT)
        await upload(place, seed, content)
        const isDone = async () =>
          slotOf((await configAt(place, vm)).values, seed.volume) !== undefined
        const set = { [slot]: insertedSeed(seed.volume) }
        await changes.send(place, { set, digest }, { isDone, options })
      }),

    withdrawSeed: async (
      vm: VmAddress | undefined,
      seed: Seed,
      options: TaskOptions = {},
    ): Promise<void> => {
      try {
        if (vm) await eject(vm, seed, options)
      } catch (error) {
        // A VM that is gone, or another one by now, does not have it.
        if (!(error instanceof AppError && error.code === 'VM_MISSING')) throw error
      }
      const { node, volume } = seed
      const { storage } = partsOf(volume)
      await follow(client, await client.storage.remove({ node, storage }, volume), options)
    },
  }
}

function partsOf(volume: string): { storage: string; name: string } {
  const [, storage, name] = /^([^:]+):iso\/([\w.-]+)$/.exec(volume) ?? []
  if (storage !== undefined && name !== undefined) return { storage, name }
  throw new Error('not the volume of an ISO image')
}
