import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { AppError } from '#shared/errors.ts'
import type { Inventory } from '../../hypervisor/port/hypervisor.ts'

const invalid = (path: string, message: string) =>
  new AppError('INVALID_INPUT', message, { details: [{ path: `settings.${path}`, message }] })

/** Checks what the schema cannot: that the settings fit the cluster. */
export function checkSettings(settings: ClusterSettings, inventory: Inventory | undefined): void {
  checkStorage(settings.storage, inventory)
}

function checkStorage(storage: ClusterSettings['storage'], inventory: Inventory | undefined): void {
  if (!storage || !inventory || inventory.storages.some(({ name }) => name === storage)) return
  throw invalid('storage', `The cluster has no storage ${storage} for VM disks.`)
}
