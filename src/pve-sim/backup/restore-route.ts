import { requireArchive } from '../access/archive-access.ts'
import { privileges, require } from '../access/permissions.ts'
import { flag, optInt, optText, type Params } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { requireBridges } from '../routes/qemu-clone.ts'
import { startTask, VM_PARAMS } from '../routes/shared.ts'
import type { Vm } from '../state/types.ts'
import { archiveAt, savedDrives } from '../vm/archives.ts'
import { CONFIG, isDiskKey } from '../vm/config-schema.ts'
import { imageStorage } from '../vm/disks.ts'
import { requireUnlocked } from '../vm/vm-config.ts'
import { badParameters, die, forbidden, PveError } from '../wire/errors.ts'

const CONTROL: Params = {
  ...VM_PARAMS,
  archive: optText({ maxLength: 255 }),
  bwlimit: optInt({ minimum: 0 }),
  force: flag({ requires: 'archive' }),
  'ha-managed': flag({ since: '9.1' }),
  'import-working-storage': optText({ format: 'pve-storage-id', since: '8.3' }),
  'live-restore': flag({ older: { before: '8.0', param: flag({ requires: 'archive' }) } }),
  pool: optText({ format: 'pve-poolid' }),
  start: flag(),
  storage: optText({ format: 'pve-storage-id' }),
  unique: flag({ requires: 'archive' }),
}

/** Making a VM needs more than putting one back that is there. */
function requireRight(call: Call, vm: Vm | undefined): void {
  const { state } = call.sim
  const vmid = call.number('vmid')
  const held = privileges(state, call.who, `/vms/${vmid}`)
  const pool = call.optional('pool')
  const mayMake =
    held.has('VM.Allocate') ||
    (pool !== undefined && privileges(state, call.who, `/pool/${pool}`).has('VM.Allocate'))
  const mayPutBack = vm !== undefined && call.flag('force') === true && held.has('VM.Backup')
  if (!mayMake && !mayPutBack) throw forbidden(`/vms/${vmid}, VM.Allocate`)
}

/** The VM that is put back. Only one on the called node, and only by force. */
function requirePlace(call: Call, vm: Vm | undefined): Vm {
  const vmid = call.number('vmid')
  if (!vm) throw die(`unable to restore VM ${vmid} - this cluster only restores VMs that exist`)
  if (call.flag('force') !== true || vm.node !== call.node) {
    throw die(`unable to restore VM ${vmid} - VM ${vmid} already exists on node '${vm.node}'`)
  }
  return vm
}

/** The lock is in the configuration before the worker is there. */
function restore(call: Call) {
  const { state } = call.sim
  if (!call.all.has('archive')) {
    throw new PveError(501, "Method 'POST /nodes/{node}/qemu' without an archive is not simulated")
  }
  const set = Object.fromEntries([...call.all].filter(([key]) => !Object.hasOwn(CONTROL, key)))
  const disk = Object.keys(set).find(isDiskKey)
  if (disk) throw badParameters({ [disk]: "option conflicts with option 'archive'" })
  const found = state.vms.get(call.number('vmid'))
  requireRight(call, found)
  const source = archiveAt(state, call.text('archive'), call.node)
  requireArchive(state, call.who, source)
  const storage = call.optional('storage')
  for (const drive of savedDrives(source.archive.config)) {
    const { id } = imageStorage(state, storage ?? drive.storage, call.node)
    require(state, call.who, `/storage/${id}`, ['Datastore.AllocateSpace'])
  }
  requireBridges(call, { ...source.archive.config, ...set })
  const vm = requirePlace(call, found)
  requireUnlocked(vm)
  vm.config.lock = 'create'
  const unique = call.flag('unique') === true
  const args = {
    vmid: vm.vmid,
    archive: source.volid,
    set,
    unique,
    ...(storage ? { storage } : {}),
  }
  return startTask(call, { type: 'qmrestore', id: vm.vmid, args })
}

export const restoreRoutes = [
  route('POST /nodes/{node}/qemu', {
    permissions: 'all',
    proxied: true,
    params: { ...CONFIG, ...CONTROL },
    handle: restore,
  }),
]
