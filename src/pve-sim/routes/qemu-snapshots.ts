import { flag, optText, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { isRunning } from '../metrics/stats.ts'
import { digest, renderSnapshot, snapshotNamed } from '../vm/vm-config.ts'
import { die } from '../wire/errors.ts'
import { onVm, startTask, VM_PARAMS, vmOf } from './shared.ts'

const PATH = '/nodes/{node}/qemu/{vmid}/snapshot'
const snapname = text({ maxLength: 40, format: 'pve-configid' })

function list(call: Call) {
  const vm = vmOf(call)
  const { parent } = vm.config
  const current = {
    name: 'current',
    description: 'You are here!',
    digest: digest(vm),
    running: isRunning(vm) ? 1 : 0,
    ...(parent ? { parent } : {}),
  }
  const taken = (vm.snapshots ?? []).map(({ config: _, guest: __, hasMemory, ...snapshot }) => ({
    ...snapshot,
    vmstate: hasMemory ? 1 : 0,
  }))
  // PVE's order is another at each call, and never that of time.
  return [...taken.reverse(), current]
}

/** The worker looks at everything else. */
function take(call: Call) {
  const vm = vmOf(call)
  const name = call.text('snapname')
  if (/^(current|pending)$/i.test(name)) {
    throw die(`unable to use snapshot name '${name.toLowerCase()}' (reserved name)`)
  }
  const description = call.optional('description')
  const args = {
    vmid: vm.vmid,
    snapname: name,
    ...(description ? { description } : {}),
    vmstate: call.flag('vmstate') === true,
  }
  return startTask(call, { type: 'qmsnapshot', id: vm.vmid, args })
}

function remove(call: Call) {
  const vmid = call.number('vmid')
  const args = { vmid, snapname: call.text('snapname'), force: call.flag('force') === true }
  return startTask(call, { type: 'qmdelsnapshot', id: vmid, args })
}

function rollBack(call: Call) {
  const vmid = call.number('vmid')
  const args = { vmid, snapname: call.text('snapname'), start: call.flag('start') === true }
  return startTask(call, { type: 'qmrollback', id: vmid, args })
}

function describe(call: Call) {
  const found = snapshotNamed(vmOf(call), call.text('snapname'))
  if (call.all.has('description')) found.description = call.text('description')
  return null
}

function shownWhole(call: Call) {
  const vm = vmOf(call)
  const name = call.text('snapname')
  const { cipassword } = snapshotNamed(vm, name).config
  const { digest: _, ...config } = renderSnapshot(vm, name, call.sim.state.version)
  return { ...config, ...(cipassword === undefined ? {} : { cipassword }) }
}

const ANY_SNAPSHOT_RIGHT = {
  perm: '/vms/{vmid}',
  privileges: ['VM.Snapshot', 'VM.Snapshot.Rollback'],
  any: true,
}

export const qemuSnapshotRoutes = [
  route(`GET ${PATH}`, {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: VM_PARAMS,
    handle: list,
  }),
  route(`POST ${PATH}`, {
    permissions: onVm('VM.Snapshot'),
    proxied: true,
    params: { ...VM_PARAMS, snapname, description: optText(), vmstate: flag() },
    handle: take,
  }),
  route(`DELETE ${PATH}/{snapname}`, {
    permissions: onVm('VM.Snapshot'),
    proxied: true,
    params: { ...VM_PARAMS, snapname, force: flag() },
    handle: remove,
  }),
  route(`POST ${PATH}/{snapname}/rollback`, {
    permissions: ANY_SNAPSHOT_RIGHT,
    proxied: true,
    params: { ...VM_PARAMS, snapname, start: flag() },
    handle: rollBack,
  }),
  /** Shows the password of cloud-init as it is stored, as PVE does: our client never asks it. */
  route(`GET ${PATH}/{snapname}/config`, {
    permissions: {
      ...ANY_SNAPSHOT_RIGHT,
      privileges: [...ANY_SNAPSHOT_RIGHT.privileges, 'VM.Audit'],
    },
    proxied: true,
    params: { ...VM_PARAMS, snapname },
    handle: shownWhole,
  }),
  route(`PUT ${PATH}/{snapname}/config`, {
    permissions: onVm('VM.Snapshot'),
    proxied: true,
    params: { ...VM_PARAMS, snapname, description: optText() },
    handle: describe,
  }),
]
