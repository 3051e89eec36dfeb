import { holds, type Permissions } from '#proxmox/calls/access.ts'
import type { Resource } from '#proxmox/calls/cluster.ts'
import type { SeedStore } from '../port/seed.ts'

/** To upload an image, and to delete it again. */
export const SEED_PRIVILEGES = ['Datastore.AllocateTemplate', 'Datastore.Allocate']

const isIsoStore = ({ type, content }: Resource) =>
  type === 'storage' && (content?.split(',').includes('iso') ?? false)

/** Storages of ISO images that the account sees. */
export const isoStores = (resources: readonly Resource[]): string[] => [
  ...new Set(resources.filter(isIsoStore).flatMap(({ storage }) => storage ?? [])),
]

/** Those in which the account may put an image and remove it. */
export function seedStores(resources: readonly Resource[], permissions: Permissions): SeedStore[] {
  const stores = new Map<string, SeedStore>()
  for (const entry of resources.filter(isIsoStore)) {
    const { storage: name, node, shared, status } = entry
    if (name === undefined || (status !== undefined && status !== 'available')) continue
    const may = (privilege: string) => holds(permissions, `/storage/${name}`, privilege)
    if (!SEED_PRIVILEGES.every(may)) continue
    stores.set(shared ? name : `${node}/${name}`, { name, node: shared ? undefined : node })
  }
  return [...stores.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}
