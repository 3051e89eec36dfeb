import { flag, NODE, optInt, optional, optText, type Params } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { isRunning } from '../metrics/stats.ts'
import type { Vm } from '../state/types.ts'
import { MACHINE } from '../vm/config-schema.ts'
import { badParameters, die } from '../wire/errors.ts'
import { onVm, processOf, rootOnly, startTask, VM_PARAMS, vmHere } from './shared.ts'

const timeout = optInt({ minimum: 0 })

/**
 * start, stop and shutdown fork their worker without reading the VM: if it is missing, the task
 * fails. For an HA-managed VM they only file a request: the HA manager acts on it later.
 */
function start(call: Call) {
  const type = vmHere(call)?.ha ? 'hastart' : 'qmstart'
  const vmid = call.number('vmid')
  return startTask(call, { type, id: vmid, args: { vmid } })
}

function stop(call: Call) {
  const vm = vmHere(call)
  const vmid = call.number('vmid')
  const overrule = call.flag('overrule-shutdown') === true
  if (vm?.ha && overrule) {
    throw badParameters({ 'overrule-shutdown': 'Not applicable for HA resources.' })
  }
  if (vm?.ha && isRunning(vm)) {
    return startTask(call, { type: 'hastop', id: vmid, args: { vmid, hard: true } })
  }
  return startTask(call, { type: 'qmstop', id: vmid, args: { vmid, overrule } })
}

const isPaused = (vm: Vm) => vm.qmp === 'paused' || vm.qmp === 'prelaunch'

function shutdown(call: Call) {
  const vm = vmHere(call)
  const vmid = call.number('vmid')
  const force = call.flag('forceStop') === true
  const paused = vm !== undefined && isPaused(vm)
  if (paused && !force) throw die('VM is paused - cannot shutdown')
  const args = { vmid, forceStop: force, ...waiting(call) }
  if (vm?.ha && isRunning(vm)) return startTask(call, { type: 'hastop', id: vmid, args })
  // A paused guest does not react to the button; `forceStop` stops hard.
  return startTask(call, {
    type: 'qmshutdown',
    id: vmid,
    name: paused ? 'qmstop' : 'qmshutdown',
    args,
  })
}

const waiting = (call: Call) => (call.all.has('timeout') ? { timeout: call.number('timeout') } : {})

function requireRunning(vm: Vm): void {
  if (!isRunning(vm)) throw die(`VM ${vm.vmid} not running`)
}

function reboot(call: Call) {
  const vm = processOf(call)
  requireRunning(vm)
  if (isPaused(vm)) throw die('VM is paused - cannot shutdown')
  return startTask(call, {
    type: 'qmreboot',
    id: vm.vmid,
    args: { vmid: vm.vmid, ...waiting(call) },
  })
}

function reset(call: Call) {
  const vm = processOf(call)
  requireRunning(vm)
  return startTask(call, { type: 'qmreset', id: vm.vmid, args: { vmid: vm.vmid } })
}

function suspend(call: Call) {
  const vm = processOf(call)
  requireRunning(vm)
  const todisk = call.flag('todisk') === true
  if (todisk && vm.ha) throw die('Cannot suspend HA managed VM to disk')
  const type = todisk ? 'qmsuspend' : 'qmpause'
  return startTask(call, { type, name: 'qmsuspend', id: vm.vmid, args: { vmid: vm.vmid, todisk } })
}

function resume(call: Call) {
  const vm = processOf(call)
  if (vm.config.lock !== 'suspended') requireRunning(vm)
  return startTask(call, { type: 'qmresume', id: vm.vmid, args: { vmid: vm.vmid } })
}

const skiplock = flag()

const ACTIONS: Record<string, { params: Params; act: (call: Call) => string }> = {
  start: {
    params: {
      'force-cpu': optText(),
      machine: MACHINE,
      migratedfrom: optional(NODE),
      migration_network: optText(),
      migration_type: optText({ enum: ['secure', 'insecure'] }),
      'nets-host-mtu': optText({ since: '9.1' }),
      skiplock,
      stateuri: optText({ maxLength: 128 }),
      targetstorage: optText(),
      timeout,
      'with-conntrack-state': flag({ since: '9.0' }),
    },
    act: start,
  },
  stop: {
    params: {
      keepActive: flag(),
      migratedfrom: optional(NODE),
      'overrule-shutdown': flag({ since: '8.2' }),
      skiplock,
      timeout,
    },
    act: stop,
  },
  shutdown: { params: { forceStop: flag(), keepActive: flag(), skiplock, timeout }, act: shutdown },
  reboot: { params: { timeout }, act: reboot },
  reset: { params: { skiplock }, act: reset },
  suspend: {
    params: {
      skiplock,
      statestorage: optText({ format: 'pve-storage-id', requires: 'todisk' }),
      todisk: flag(),
    },
    act: suspend,
  },
  resume: { params: { nocheck: flag(), skiplock }, act: resume },
}

export const qemuPowerRoutes = Object.entries(ACTIONS).map(([action, { params, act }]) =>
  route(`POST /nodes/{node}/qemu/{vmid}/status/${action}`, {
    permissions: onVm('VM.PowerMgmt'),
    proxied: true,
    params: { ...VM_PARAMS, ...params },
    handle: (call) => {
      rootOnly(call, 'skiplock')
      return act(call)
    },
  }),
)
