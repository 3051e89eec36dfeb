import { MACHINE } from '../config-schema.ts'
import { die } from '../errors.ts'
import { flag, NODE, optInt, optional, optText, type Params } from '../params.ts'
import { type Call, route } from '../route.ts'
import { isRunning } from '../stats.ts'
import type { Vm } from '../types.ts'
import { onVm, rootOnly, startTask, VM_PARAMS, vmOf } from './shared.ts'

const timeout = optInt({ minimum: 0 })

/** HA-managed VMs are only asked: the HA manager does it later. */
function start(call: Call, vm: Vm) {
  const type = vm.ha ? 'hastart' : 'qmstart'
  return startTask(call, { type, id: vm.vmid, args: { vmid: vm.vmid } })
}

function stop(call: Call, vm: Vm) {
  const { sim } = call
  if (call.flag('overrule-shutdown') === true) {
    for (const task of sim.state.tasks.values()) {
      const mine = task.id === String(vm.vmid) && task.exitstatus === null
      if (mine && task.type === 'qmshutdown') sim.tasks.stop(task.upid)
    }
  }
  if (vm.ha && isRunning(vm)) {
    return startTask(call, { type: 'hastop', id: vm.vmid, args: { vmid: vm.vmid, hard: true } })
  }
  return startTask(call, { type: 'qmstop', id: vm.vmid, args: { vmid: vm.vmid } })
}

const isPaused = (vm: Vm) => vm.qmp === 'paused' || vm.qmp === 'prelaunch'

function shutdown(call: Call, vm: Vm) {
  const force = call.flag('forceStop') === true
  if (isPaused(vm) && !force) throw die('VM is paused - cannot shutdown')
  const args = { vmid: vm.vmid, forceStop: force, ...waiting(call) }
  if (vm.ha && isRunning(vm)) return startTask(call, { type: 'hastop', id: vm.vmid, args })
  // A paused guest cannot hear the button; forced means hard.
  const name = isPaused(vm) ? 'qmstop' : 'qmshutdown'
  return startTask(call, { type: 'qmshutdown', id: vm.vmid, name, args })
}

const waiting = (call: Call) => (call.all.has('timeout') ? { timeout: call.number('timeout') } : {})

function requireRunning(vm: Vm): void {
  if (!isRunning(vm)) throw die(`VM ${vm.vmid} not running`)
}

function reboot(call: Call, vm: Vm) {
  requireRunning(vm)
  if (isPaused(vm)) throw die('VM is paused - cannot shutdown')
  return startTask(call, {
    type: 'qmreboot',
    id: vm.vmid,
    args: { vmid: vm.vmid, ...waiting(call) },
  })
}

function reset(call: Call, vm: Vm) {
  requireRunning(vm)
  return startTask(call, { type: 'qmreset', id: vm.vmid, args: { vmid: vm.vmid } })
}

function suspend(call: Call, vm: Vm) {
  requireRunning(vm)
  const todisk = call.flag('todisk') === true
  if (todisk && vm.ha) throw die('Cannot suspend HA managed VM to disk')
  const type = todisk ? 'qmsuspend' : 'qmpause'
  return startTask(call, { type, name: 'qmsuspend', id: vm.vmid, args: { vmid: vm.vmid, todisk } })
}

function resume(call: Call, vm: Vm) {
  if (vm.config.lock !== 'suspended') requireRunning(vm)
  return startTask(call, { type: 'qmresume', id: vm.vmid, args: { vmid: vm.vmid } })
}

const skiplock = flag()

const ACTIONS: Record<string, { params: Params; act: (call: Call, vm: Vm) => string }> = {
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
      return act(call, vmOf(call))
    },
  }),
)
