import { require } from '../access/permissions.ts'
import { parseProperties } from '../formats/property-string.ts'
import type { Call } from '../http/route.ts'
import { reserveClone } from '../jobs/clone.ts'
import type { Vm } from '../state/types.ts'
import { traits } from '../state/versions.ts'
import { imageStorage, isCloudinit, ownDrives } from '../vm/disks.ts'
import { requireUnlocked } from '../vm/vm-config.ts'
import { die, forbidden } from '../wire/errors.ts'
import { processOf, startTask } from './shared.ts'

/** The id must be free everywhere; the message depends on where it is taken. */
function requireFreeId(call: Call, newid: number): void {
  const taken = call.sim.state.vms.get(newid)
  if (!taken) return
  if (taken.node === call.node)
    throw die(`unable to create VM ${newid}: config file already exists`)
  throw die(`unable to create VM ${newid} - VM ${newid} already exists on node '${taken.node}'`)
}

/** Another target node works only if every disk, old and new, is on shared storage. */
function requireReachable(call: Call, source: Vm, target: string): void {
  const { state } = call.sim
  if (!state.nodes.has(target)) throw die(`no such cluster node '${target}'`)
  const local = ownDrives(source.config).some((drive) => !state.storages.get(drive.storage)?.shared)
  if (local) throw die(`can't clone VM to node '${target}' (VM uses local storage)`)
  const storage = call.optional('storage')
  if (storage && !state.storages.get(storage)?.shared) {
    throw die(`can't clone to non-shared storage '${storage}'`)
  }
}

/** Requires SDN.Use on each bridge of the new VM, since PVE 8. */
export function requireBridges(call: Call, config: Record<string, string>): void {
  const { state } = call.sim
  if (!traits(state.version).bridgePermission) return
  for (const [key, value] of Object.entries(config)) {
    if (!/^net\d+$/.test(key)) continue
    const parts = parseProperties(value, 'model')
    const bridge = parts.get('bridge')
    const tag = parts.get('tag')
    if (!bridge) continue
    const path = `/sdn/zones/localnetwork/${bridge}${tag ? `/${tag}` : ''}`
    require(state, call.who, path, ['SDN.Use'])
  }
}

function requireStorages(call: Call, source: Vm, full: boolean): void {
  const { state } = call.sim
  const wanted = call.optional('storage')
  if (wanted) imageStorage(state, wanted, call.node)
  for (const drive of ownDrives(source.config)) {
    if (!full && !isCloudinit(drive.volid) && !/(^|\/|:)base-\d+-/.test(drive.volid)) {
      throw die(`Linked clone feature is not supported for '${drive.volid}' (${drive.key})`)
    }
    require(state, call.who, `/storage/${wanted ?? drive.storage}`, ['Datastore.AllocateSpace'])
  }
}

/**
 * Runs every check that PVE makes before it forks the worker; then writes `lock: clone` and forks.
 */
export function startCheckedClone(call: Call) {
  const source = processOf(call)
  const newid = call.number('newid')
  const pool = call.optional('pool')
  const target = call.optional('target')
  const isTemplate = source.config.template === '1'
  const full = call.flag('full') ?? !isTemplate
  if (pool && !call.sim.state.pools.has(pool)) throw forbidden(`pool '${pool}' does not exist`)
  for (const option of ['storage', 'format'] as const) {
    if (call.all.has(option) && !full) {
      throw die(`parameter '${option}' not allowed for linked clones`)
    }
  }
  if (call.all.has('snapname')) throw die(`snapshot '${call.text('snapname')}' does not exist`)
  requireUnlocked(source)
  requireFreeId(call, newid)
  if (target && target !== call.node) requireReachable(call, source, target)
  requireStorages(call, source, full)
  requireBridges(call, source.config)
  reserveClone(call.sim, source, newid)
  const names = ['name', 'description', 'pool', 'storage', 'target'] as const
  const texts = names.flatMap((name) => (call.all.has(name) ? [[name, call.text(name)]] : []))
  const args = { vmid: source.vmid, newid, full, ...Object.fromEntries(texts) }
  return startTask(call, { type: 'qmclone', id: source.vmid, args })
}
