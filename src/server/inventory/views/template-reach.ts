import type { templates } from '../../db/schema/infrastructure.ts'
import type { Inventory } from '../../hypervisor/port/hypervisor.ts'

type TemplateRow = Pick<typeof templates.$inferSelect, 'hasCloudInit' | 'nodeId' | 'storages'>

export const NO_CLOUD_INIT =
  'This template has no cloud-init drive, so its servers would not learn their user, password and address. Add one in Proxmox VE (Hardware → Add → CloudInit Drive), then sync.'

/**
 * PVE clones to another node only from shared storage into shared storage (facts §11). A storage we
 * cannot see does not count as shared.
 */
export function canReach(
  template: TemplateRow,
  to: { nodeId: number; storage: string | null | undefined },
  inventory: Inventory | undefined,
): boolean {
  if (template.nodeId === to.nodeId || inventory === undefined || template.storages === null) {
    return true
  }
  const shared = new Set(
    inventory.storages.filter(({ node }) => node === undefined).map(({ name }) => name),
  )
  const all = [...template.storages, ...(to.storage ? [to.storage] : [])]
  return all.every((storage) => shared.has(storage))
}
