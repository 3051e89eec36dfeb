import { dnsName } from '../../hypervisor/guest/guest-setup.ts'
import type { CachedVm } from '../../hypervisor/inventory-cache.ts'
import type { InventoryNode, InventoryVm } from '../../hypervisor/port/hypervisor.ts'
import { isHeld, isHeldByJob } from '../vm/acts-under-way.ts'
import { isVmName, type Named } from '../vm/vm-name.ts'

/** The contents of a cluster as reported at one moment. */
export type Snapshot = {
  nodes: InventoryNode[]
  vms: CachedVm[]
  templates: InventoryVm[]
  asOf: Date
}

/** VM ids that the cluster itself reports as free. */
export type Gone = ReadonlySet<number>

export type KnownNode = { name: string; status: string; vmCount: number } & Record<
  'memoryTotal' | 'storageTotal',
  number | null
>
export type KnownTemplate = {
  templateId: number
  name: string
  nodeId: number
  missingSince: Date | null
}
export type KnownInstance = {
  vmId: number
  name: string
  nodeId: number | null
  status: string
  missingSince: Date | null
  lastUpdated: Date | null
  /** Of a VM that we made: then the name is ours. */
  marker?: string | null
}

/**
 * PVE lists a VM without a name while it is being made, and when its node has been unreachable for
 * long (facts-3 §2): such an entry proves only that the VM exists, not even whether it is a
 * template.
 */
export const isBare = ({ name, state }: Pick<InventoryVm, 'name' | 'state'>): boolean =>
  name === '' && state === 'unknown'

const isBeingMade = ({ lock }: Pick<InventoryVm, 'lock'>) => lock === 'clone' || lock === 'create'

const orNull = (value: number | undefined) => value ?? null
const whole = (value: number | undefined) => (value === undefined ? null : Math.round(value))

/**
 * The rows to write to match the cluster. Figures that change with every poll (load, memory in use,
 * uptime) are included but are no reason to write: pages read them live.
 */
export function nodeChanges(seen: readonly InventoryNode[], known: readonly KnownNode[]) {
  const rows = new Map(known.map((row) => [row.name, row]))
  const changed = seen
    .map((node) => ({
      name: node.name,
      status: node.state,
      cpuUsage: orNull(node.cpuUsage),
      memoryUsed: whole(node.memoryUsed),
      memoryTotal: whole(node.memoryTotal),
      storageUsed: whole(node.storageUsed),
      storageTotal: whole(node.storageTotal),
      vmCount: node.vmCount,
    }))
    .filter((node) => {
      const row = rows.get(node.name)
      const stable = ['status', 'memoryTotal', 'storageTotal', 'vmCount'] as const
      return row === undefined || stable.some((key) => row[key] !== node[key])
    })
  const names = new Set(seen.map(({ name }) => name))
  const left = known.filter(({ name, status }) => !names.has(name) && status !== 'unknown')
  return { changed, left: left.map(({ name }) => name) }
}

export function templateChanges(
  seen: readonly (InventoryVm & { nodeId: number })[],
  known: readonly KnownTemplate[],
  gone: Gone,
) {
  const rows = new Map(known.map((row) => [row.templateId, row]))
  const changed = seen
    .map(({ vmId, name, nodeId }) => ({ templateId: vmId, name: name || `VM ${vmId}`, nodeId }))
    .filter((template) => {
      const row = rows.get(template.templateId)
      if (row === undefined || row.missingSince !== null) return true
      return row.name !== template.name || row.nodeId !== template.nodeId
    })
  const listed = new Set(seen.map(({ vmId }) => vmId))
  const unlisted = known
    .filter(({ templateId, missingSince }) => missingSince === null && !listed.has(templateId))
    .map(({ templateId }) => templateId)
  return { changed, ...split(unlisted, gone) }
}

export type SeenVm = CachedVm & { nodeId: number | null }

/** `now` is used only to judge claims: an instance with an action in progress keeps its status. */
export function instanceChanges(
  seen: readonly SeenVm[],
  known: readonly KnownInstance[],
  { gone, now }: { gone: Gone; now: Date },
) {
  const rows = new Map(known.map((row) => [row.vmId, row]))
  const changed = seen.flatMap((vm) => {
    const row = rows.get(vm.vmId)
    // It becomes a row once it has a name; until then it may be a clone, or disappear again.
    if (row === undefined && (isBare(vm) || isBeingMade(vm))) return []
    const next = nextRow(vm, row, now)
    return row === undefined || differs(row, next) ? [next] : []
  })
  const listed = new Set(seen.map(({ vmId }) => vmId))
  const unlisted = known
    .filter((row) => row.missingSince === null && !listed.has(row.vmId))
    // A job that makes or removes the VM decides its status.
    .filter((row) => !isHeldByJob(row.status))
    .map(({ vmId }) => vmId)
  return { changed, ...split(unlisted, gone) }
}

function nextRow(vm: SeenVm, row: KnownInstance | undefined, now: Date) {
  const keepsStatus =
    row !== undefined && row.missingSince === null && (isHeld(row, now) || isNewer(row, vm))
  return {
    vmId: vm.vmId,
    name: row && keepsName(row, vm) ? row.name : vm.name,
    nodeId: vm.nodeId,
    status: keepsStatus ? row.status : vm.lastKnown,
    uptime: Math.round(vm.uptime),
    cpuUsage: orNull(vm.cpuUsage),
    memoryUsed: whole(vm.memoryUsed),
    lastUpdated: keepsStatus ? row.lastUpdated : vm.certainAt,
  }
}

const keepsName = (row: KnownInstance, vm: SeenVm): boolean =>
  vm.name === '' || (row.marker ?? null) !== null || isSameName(row, vm.name)

/** Seen live by some process after the time this list is certain for. */
const isNewer = (row: KnownInstance, vm: CachedVm) =>
  row.lastUpdated !== null && row.lastUpdated.getTime() > vm.certainAt.getTime()

/**
 * Our names are free text, the cluster's are DNS names: a name derived from ours is not a change.
 */
export const isSameName = (row: Named, theirs: string) =>
  row.name === theirs || dnsName(row.name) === theirs || isVmName(row, theirs)

const differs = (row: KnownInstance, next: ReturnType<typeof nextRow>) =>
  row.missingSince !== null ||
  row.name !== next.name ||
  row.nodeId !== next.nodeId ||
  row.status !== next.status

const split = (unlisted: number[], gone: Gone) => ({
  missing: unlisted.filter((vmId) => gone.has(vmId)),
  unlisted: unlisted.filter((vmId) => !gone.has(vmId)),
})
