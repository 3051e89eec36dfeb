import { permissionReader, require } from '../access/permissions.ts'
import { flag, NODE, optInt, optional, optText, text, VMID } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { resizeDisk } from '../jobs/disks.ts'
import { type Timeframe, vmSeries } from '../metrics/rrd.ts'
import { isRunning, vmLoad } from '../metrics/stats.ts'
import type { Vm } from '../state/types.ts'
import { atLeast, traits, wire } from '../state/versions.ts'
import { DISK_KEYS } from '../vm/config-schema.ts'
import { bootDiskSize } from '../vm/disks.ts'
import { agentEnabled, requireUnlocked, vmName } from '../vm/vm-config.ts'
import { die } from '../wire/errors.ts'
import { startCheckedClone } from './qemu-clone.ts'
import { NODE_PARAMS, onVm, rootOnly, startTask, VM_PARAMS, vmHere, vmOf } from './shared.ts'

/** What `GET /qemu` and `status/current` have in common. */
function vmStatus(call: Call, vm: Vm): Record<string, unknown> {
  const { strings, hostMetrics } = traits(call.sim.state.version)
  const { cpu, mem, maxcpu, maxmem, uptime, ...counters } = vmLoad(vm, call.sim.now())
  const { lock, tags } = vm.config
  const running = isRunning(vm)
  const template = vm.config.template === '1'
  const pressure = {
    pressurecpusome: 0,
    pressurecpufull: 0,
    pressureiosome: 0,
    pressureiofull: 0,
    pressurememorysome: 0,
    pressurememoryfull: 0,
  }
  return {
    vmid: wire(vm.vmid, strings.vmid),
    name: vmName(vm),
    status: running ? 'running' : 'stopped',
    cpus: maxcpu,
    cpu,
    mem,
    maxmem,
    disk: 0,
    maxdisk: bootDiskSize(vm.config),
    uptime,
    ...(running ? counters : { netin: 0, netout: 0 }),
    ...(running ? { pid: wire(vm.pid, strings.pid) } : strings.pid ? { pid: null } : {}),
    ...(template ? { template: 1 } : strings.vmid ? { template: '' } : {}),
    ...(lock ? { lock } : {}),
    ...(tags ? { tags } : {}),
    ...(vm.config.serial0 ? { serial: 1 } : {}),
    ...(hostMetrics ? { memhost: Math.floor(mem * 1.04), ...(running ? pressure : {}) } : {}),
  }
}

function current(call: Call) {
  const vm = vmOf(call)
  const { qemu } = traits(call.sim.state.version)
  const running = isRunning(vm)
  const machine = /q35/.test(vm.config.machine ?? '') ? 'pc-q35' : 'pc-i440fx'
  const live = {
    'running-machine': `${machine}-${qemu.split('.').slice(0, 2).join('.')}+pve0`,
    'running-qemu': qemu,
    'proxmox-support': {
      'pbs-dirty-bitmap': true,
      'backup-max-workers': true,
      'query-bitmap-info': true,
    },
    balloon: vmLoad(vm, call.sim.now()).maxmem,
    blockstat: {},
    nics: {},
  }
  return {
    ...vmStatus(call, vm),
    qmpstatus: vm.qmp,
    ha: vm.ha
      ? { managed: 1, state: vm.ha.state, ...(vm.ha.group ? { group: vm.ha.group } : {}) }
      : { managed: 0 },
    ...(agentEnabled(vm.config) ? { agent: 1 } : {}),
    ...(/qxl/.test(vm.config.vga ?? '') ? { spice: 1 } : {}),
    ...(running ? live : {}),
    ...(atLeast(call.sim.state.version, '8.4') ? { clipboard: null } : {}),
  }
}

function list(call: Call) {
  const { state } = call.sim
  const may = permissionReader(state, call.who)
  return [...state.vms.values()]
    .filter((vm) => vm.node === call.node && may.has(`/vms/${vm.vmid}`, 'VM.Audit'))
    .map((vm) => ({
      ...vmStatus(call, vm),
      ...(call.flag('full') ? { qmpstatus: vm.qmp, ...(isRunning(vm) ? { nics: {} } : {}) } : {}),
    }))
}

/** As a task (8.x and later) the worker looks up the VM. */
function resize(call: Call) {
  const { resizeIsTask } = traits(call.sim.state.version)
  const vm = resizeIsTask ? vmHere(call) : vmOf(call)
  rootOnly(call, 'skiplock')
  const digest = call.optional('digest')
  const args = {
    vmid: call.number('vmid'),
    disk: call.text('disk'),
    size: call.text('size'),
    ...(digest ? { digest } : {}),
  }
  const storage = (vm?.config[call.text('disk')] ?? '').split(':')[0]
  if (storage) require(call.sim.state, call.who, `/storage/${storage}`, ['Datastore.AllocateSpace'])
  if (resizeIsTask) return startTask(call, { type: 'resize', id: args.vmid, args })
  if (vm) resizeDisk(call.sim, vm, args)
  return null
}

function template(call: Call) {
  const vm = vmOf(call)
  requireUnlocked(vm)
  if (vm.config.template === '1') throw die("you can't convert a template to a template")
  if (vm.snapshots?.length) throw die('unable to create template, because VM contains snapshots')
  if (isRunning(vm)) throw die("you can't convert a VM to template if VM is running")
  return startTask(call, { type: 'qmtemplate', id: vm.vmid, args: { vmid: vm.vmid } })
}

function destroy(call: Call) {
  const vm = vmOf(call)
  rootOnly(call, 'skiplock')
  if (call.flag('skiplock') !== true) requireUnlocked(vm)
  if (vm.config.protection === '1')
    throw die(`can't remove VM ${vm.vmid} - protection mode enabled`)
  if (vm.ha && call.flag('purge') !== true) {
    throw die(`unable to remove VM ${vm.vmid} - used in HA resources and purge parameter not set.`)
  }
  if (isRunning(vm)) throw die(`VM ${vm.vmid} is running - destroy failed`)
  return startTask(call, { type: 'qmdestroy', id: vm.vmid, args: { vmid: vm.vmid } })
}

/** rrddata reads the metrics database, not the configuration. */
function recordedVm(call: Call): Vm {
  const vm = vmHere(call)
  if (vm) return vm
  const folder = traits(call.sim.state.version).hostMetrics ? 'pve-vm-9.0' : 'pve2-vm'
  const file = `/var/lib/rrdcached/db/${folder}/${call.number('vmid')}`
  const fetch = 'rrdcached@unix:/var/run/rrdcached.sock: rrd_fetch_r failed'
  throw die(`RRD error: ${fetch}: opening '${file}': No such file or directory`)
}

export const qemuRoutes = [
  route('GET /nodes/{node}/qemu', {
    permissions: 'all',
    proxied: true,
    params: { ...NODE_PARAMS, full: flag() },
    handle: list,
  }),
  route('DELETE /nodes/{node}/qemu/{vmid}', {
    permissions: onVm('VM.Allocate'),
    proxied: true,
    params: { ...VM_PARAMS, 'destroy-unreferenced-disks': flag(), purge: flag(), skiplock: flag() },
    handle: destroy,
  }),
  route('GET /nodes/{node}/qemu/{vmid}/status/current', {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: VM_PARAMS,
    handle: current,
  }),
  route('POST /nodes/{node}/qemu/{vmid}/clone', {
    permissions: {
      and: [
        onVm('VM.Clone'),
        {
          or: [
            { perm: '/vms/{newid}', privileges: ['VM.Allocate'] },
            { perm: '/pool/{pool}', privileges: ['VM.Allocate'], needs: 'pool' },
          ],
        },
      ],
    },
    proxied: true,
    params: {
      ...VM_PARAMS,
      bwlimit: optInt({ minimum: 0 }),
      description: optText(),
      format: optText({ enum: ['raw', 'qcow2', 'vmdk'] }),
      full: flag(),
      name: optText({ format: 'dns-name' }),
      newid: VMID,
      pool: optText({ format: 'pve-poolid' }),
      snapname: optText({ maxLength: 40, format: 'pve-configid' }),
      storage: optText({ format: 'pve-storage-id' }),
      target: optional(NODE),
    },
    handle: startCheckedClone,
  }),
  route('PUT /nodes/{node}/qemu/{vmid}/resize', {
    permissions: onVm('VM.Config.Disk'),
    proxied: true,
    params: {
      ...VM_PARAMS,
      digest: optText({ maxLength: 40 }),
      disk: text({ enum: DISK_KEYS }),
      size: text({ pattern: /^\+?\d+(\.\d+)?[KMGT]?$/ }),
      skiplock: flag(),
    },
    handle: resize,
  }),
  route('POST /nodes/{node}/qemu/{vmid}/template', {
    permissions: onVm('VM.Allocate'),
    proxied: true,
    params: { ...VM_PARAMS, disk: optText({ enum: DISK_KEYS }) },
    handle: template,
  }),
  route('GET /nodes/{node}/qemu/{vmid}/rrddata', {
    permissions: onVm('VM.Audit'),
    params: {
      ...VM_PARAMS,
      cf: optText({ enum: ['AVERAGE', 'MAX'] }),
      timeframe: text({ enum: ['hour', 'day', 'week', 'month', 'year'] }),
    },
    handle: (call) =>
      vmSeries(recordedVm(call), {
        frame: call.text('timeframe') as Timeframe,
        now: call.sim.now(),
        hostMetrics: traits(call.sim.state.version).hostMetrics,
      }),
  }),
]
