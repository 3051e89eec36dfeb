import { flag, text } from '../formats/params.ts'
import { isBooting } from '../guest/guest.ts'
import { guestAddresses } from '../guest/guest-network.ts'
import { type Call, route } from '../http/route.ts'
import { isRunning, vmLoad } from '../metrics/stats.ts'
import type { Vm } from '../state/types.ts'
import { traits } from '../state/versions.ts'
import { agentEnabled, isWindows } from '../vm/vm-config.ts'
import { die } from '../wire/errors.ts'
import { onVm, VM_PARAMS, vmOf } from './shared.ts'

/** How long PVE waits for an agent before it reports that there is none. */
const AGENT_SECONDS = 3

/**
 * The guest must be up, its agent configured, installed and booted. A silent agent costs the caller
 * three seconds, and occupies one of the node's workers for that time.
 */
async function requireAgent(call: Call): Promise<Vm> {
  const { sim } = call
  const vm = vmOf(call)
  if (!isRunning(vm)) throw die(`VM ${vm.vmid} is not running`)
  if (!agentEnabled(vm.config)) throw die('No QEMU guest agent configured')
  if (vm.qmp !== 'running' || vm.guest.agent === 'none' || isBooting(sim, vm)) {
    await sim.timers.pause(sim.seconds(AGENT_SECONDS))
    throw die('QEMU guest agent is not running')
  }
  return vm
}

/** Failures inside the guest come back as 200 with an error object. */
const UNSUPPORTED = {
  result: {
    error: {
      class: 'CommandNotFound',
      desc: 'The command guest-network-get-interfaces has not been found',
    },
  },
}

async function interfaces(call: Call) {
  const vm = await requireAgent(call)
  if (vm.guest.agent === 'unsupported') return UNSUPPORTED
  const { netin, netout } = vmLoad(vm, call.sim.now())
  const statistics = {
    'rx-bytes': netin,
    'tx-bytes': netout,
    'rx-packets': Math.floor(netin / 900),
    'tx-packets': Math.floor(netout / 900),
    'rx-errs': 0,
    'tx-errs': 0,
    'rx-dropped': 0,
    'tx-dropped': 0,
  }
  const windows = isWindows(vm.config)
  const loopback = {
    name: windows ? 'Loopback Pseudo-Interface 1' : 'lo',
    'hardware-address': '00:00:00:00:00:00',
    'ip-addresses': [
      { 'ip-address': '127.0.0.1', 'ip-address-type': 'ipv4', prefix: 8 },
      { 'ip-address': '::1', 'ip-address-type': 'ipv6', prefix: 128 },
    ],
    statistics: { ...statistics, 'rx-bytes': 4212, 'tx-bytes': 4212 },
  }
  const cards = guestAddresses(vm).map(({ index, mac, addresses }) => ({
    name: windows ? `Ethernet${index > 0 ? ` ${index + 1}` : ''}` : `eth${index}`,
    'hardware-address': mac.toLowerCase(),
    'ip-addresses': addresses.map(({ address, family, prefix }) => ({
      'ip-address': address,
      'ip-address-type': family,
      prefix,
    })),
    statistics,
  }))
  return { result: [loopback, ...cards] }
}

const auditor = (version: Parameters<typeof traits>[0]) => ({
  perm: '/vms/{vmid}',
  privileges: traits(version).agentPrivilege.audit,
  ...(traits(version).agentPrivilege.audit.length > 1 ? { any: true } : {}),
})

export const qemuAgentRoutes = [
  route('POST /nodes/{node}/qemu/{vmid}/agent/ping', {
    permissions: auditor,
    proxied: true,
    params: VM_PARAMS,
    handle: async (call) => {
      await requireAgent(call)
      return { result: {} }
    },
  }),
  route('GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces', {
    permissions: auditor,
    proxied: true,
    params: VM_PARAMS,
    handle: interfaces,
  }),
  route('POST /nodes/{node}/qemu/{vmid}/agent/set-user-password', {
    permissions: (version) => onVm(...traits(version).agentPrivilege.unrestricted),
    proxied: true,
    params: {
      ...VM_PARAMS,
      crypted: flag(),
      password: text({ minLength: 5, maxLength: 1024 }),
      username: text(),
    },
    handle: async (call) => {
      const vm = await requireAgent(call)
      vm.guest.passwords[call.text('username')] = call.text('password')
      return { result: {} }
    },
  }),
  route('PUT /nodes/{node}/qemu/{vmid}/cloudinit', {
    permissions: onVm('VM.Config.Cloudinit'),
    proxied: true,
    params: VM_PARAMS,
    handle: (call) => {
      vmOf(call)
      return null
    },
  }),
]
