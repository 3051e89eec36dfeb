import { holds, type Permissions } from '#proxmox/calls/access.ts'
import type { Resource } from '#proxmox/calls/cluster.ts'
import { supports, type Version } from '#proxmox/calls/version.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { parseUpid } from '#proxmox/wire/upid.ts'
import { AppError } from '#shared/errors.ts'
import type { Archive, CdActs, IsoFile, IsoPlace } from '../port/cds.ts'
import { storeFor } from '../port/seed.ts'
import { seedStores } from '../seed/seed-stores.ts'
import { follow } from '../vm/task-follow.ts'
import type { VmAccess } from '../vm/vm-access.ts'

/** Before 8.2 a download takes the right to change the nodes themselves, which we never ask for. */
export const NETWORK_PRIVILEGE = 'Sys.AccessNetwork'

/** Images that we put there: seeds, and what clients had downloaded. */
const OURS = /:iso\/(hushbox|own)-[\w.-]+$/
const PAUSE_MS = 5000

const refused = (message: string, publicMessage: string) =>
  new AppError('INVALID_STATE', message, { publicMessage })

const NOT_HERE = 'Images of your own cannot be used on this server. Choose one of the list.'
const NO_RIGHT =
  'The account may not download files to this node: Cluster settings → Permissions says how to allow it.'

/** Whether a node fetches what the account names. */
export const maySurf = (version: Version, permissions: Permissions, node: string): boolean =>
  supports(version, 'access-network') && holds(permissions, `/nodes/${node}`, NETWORK_PRIVILEGE)

type Listed = { storage: string; node: string; isShared: boolean }

/** Where to ask for files: a shared storage once, a local one on every node. */
function storesWith(content: string, resources: readonly Resource[]): Listed[] {
  const stores = new Map<string, Listed>()
  for (const entry of resources) {
    const { type, storage, node, shared, status, content: kinds = '' } = entry
    if (type !== 'storage' || storage === undefined || node === undefined) continue
    if (!kinds.split(',').includes(content)) continue
    if (status !== undefined && status !== 'available') continue
    const isShared = shared ?? false
    const key = isShared ? storage : `${node}/${storage}`
    if (!stores.has(key)) stores.set(key, { storage, node, isShared })
  }
  return [...stores.values()]
}

type Files = Pick<
  CdActs,
  'archivesOnCluster' | 'downloadIso' | 'isos' | 'ownIsoStore' | 'removeIso'
>

export function isoFiles(
  client: ProxmoxClient,
  { access, clock }: { access: VmAccess; clock: Clock },
): Files {
  const list = async ({ node, storage }: Listed, content: 'backup' | 'iso', vmid?: number) => {
    try {
      const filter = vmid === undefined ? { content } : { content, vmid }
      return await client.storage.content({ node, storage }, filter)
    } catch (error) {
      // Seen in the list, but its files are not for this account.
      if (isProxmoxError(error, 'forbidden')) return []
      throw error
    }
  }

  const everywhere = async (content: 'backup' | 'iso', vmid?: number) => {
    const stores = storesWith(content, await client.cluster.resources({ type: 'storage' }))
    return await Promise.all(
      stores.map(async (store) => ({ store, files: await list(store, content, vmid) })),
    )
  }

  /** The same file twice at once would be downloaded twice: the first may have outlived us. */
  const settle = async ({ node, volume }: IsoPlace, signal: AbortSignal | undefined) => {
    const { name } = partsOf(volume)
    const isRunning = async () => {
      const tasks = await client.tasks.list(node, { source: 'active', type: 'download' })
      return tasks.some(
        ({ upid, endtime }) => endtime === undefined && parseUpid(upid)?.id === name,
      )
    }
    while (await isRunning()) await clock.sleep(PAUSE_MS, signal)
  }

  return {
    async isos(): Promise<IsoFile[]> {
      const found = new Map<string, IsoFile>()
      for (const { store, files } of await everywhere('iso')) {
        for (const { volid, size } of files) {
          if (OURS.test(volid)) continue
          const known = found.get(volid)
          const nodes = store.isShared ? null : [...(known?.nodes ?? []), store.node]
          found.set(volid, { volume: volid, size: size ?? null, nodes })
        }
      }
      return [...found.values()].toSorted((a, b) => a.volume.localeCompare(b.volume))
    },

    ownIsoStore: (vm) =>
      access.at(vm, async ({ node }) => {
        const [resources, permissions, version] = await Promise.all([
          client.cluster.resources({ type: 'storage' }),
          client.access.permissions(),
          client.version.get(),
        ])
        const store = storeFor(seedStores(resources, permissions), node)
        if (!store || !maySurf(version, permissions, node)) throw refused(NO_RIGHT, NOT_HERE)
        return { node, storage: store.name }
      }),

    async downloadIso(place, { url, sha256 }, options = {}) {
      await settle(place, options.signal)
      const { storage, name } = partsOf(place.volume)
      const at = { node: place.node, storage }
      try {
        const task = await client.storage.downloadIso(at, { url, name, sha256 })
        await follow(client, task, options)
      } catch (error) {
        throw refusalOf(error) ?? error
      }
    },

    async removeIso(place, options = {}) {
      await settle(place, options.signal)
      const { storage } = partsOf(place.volume)
      const at = { node: place.node, storage }
      await follow(client, await client.storage.remove(at, place.volume), options)
    },

    async archivesOnCluster(vmId): Promise<Archive[]> {
      const found = (await everywhere('backup', vmId)).flatMap(({ files }) => files)
      return found.flatMap(({ volid, vmid, ctime }) => {
        if (vmid === undefined) return []
        return [{ vmId: vmid, volume: volid, at: ctime ? new Date(ctime * 1000) : undefined }]
      })
    },
  }
}

const WRONG_SUM =
  'What is at that address has another SHA-256 than you gave. Check both, then try again.'
const NOT_DOWNLOADED =
  'The node could not download the image from that address. Check that anyone can download it there.'

function refusalOf(error: unknown): AppError | undefined {
  if (!isProxmoxError(error) || error.failure.kind !== 'task-failed') return undefined
  const message = /checksum mismatch/.test(error.failure.exitStatus) ? WRONG_SUM : NOT_DOWNLOADED
  return new AppError('INVALID_STATE', message, { cause: error, publicMessage: message })
}

function partsOf(volume: string): { storage: string; name: string } {
  const [, storage, name] = /^([^:]+):iso\/([\w.-]+)$/.exec(volume) ?? []
  if (storage !== undefined && name !== undefined) return { storage, name }
  throw new Error('not the volume of an ISO image')
}
