import { permissionReader } from '../access/permissions.ts'
import { optText, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { nodeSeries, type Timeframe } from '../metrics/rrd.ts'
import { nodeLoad } from '../metrics/stats.ts'
import type { Node, Version } from '../state/types.ts'
import { atLeast, traits } from '../state/versions.ts'
import { certificateInfo, fingerprint } from '../tls/certificates.ts'
import { bridgesOf } from '../vm/bridges.ts'
import { NODE_PARAMS, nodeOf, onNode } from './shared.ts'

function nodes(call: Call) {
  const { state } = call.sim
  const may = permissionReader(state, call.who)
  const view = call.sim.resources.read()
  // One process serves every node, so every node presents the same certificate.
  const ssl_fingerprint = fingerprint(call.sim.tls().leafPem)
  return [...state.nodes.values()].map((node) => {
    const row = view.node(node, may.has(`/nodes/${node.name}`, 'Sys.Audit'))
    const { 'cgroup-mode': _, ...shown } = row
    return { ...shown, ssl_fingerprint }
  })
}

function status(call: Call) {
  const node = nodeOf(call)
  const { cpu, mem, disk, uptime } = nodeLoad(call.sim.state, node, call.sim.now())
  const { version, kernel, hostMetrics } = traits(call.sim.state.version)
  const free = node.memory - mem
  const rootFree = node.rootfs - disk
  const average = (factor: number) => (cpu * node.cpus * factor).toFixed(2)
  return {
    uptime,
    cpu,
    wait: cpu * 0.04,
    idle: 0,
    loadavg: [average(1), average(0.9), average(0.8)],
    cpuinfo: {
      model: node.cpuModel,
      cpus: node.cpus,
      cores: node.cpus / 4,
      sockets: 2,
      mhz: '2445.404',
      hvm: '1',
      user_hz: 100,
      flags: 'fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge svm aes avx avx2',
    },
    memory: { total: node.memory, used: mem, free, ...(hostMetrics ? { available: free } : {}) },
    swap: { total: 8 * 1024 ** 3, used: 0, free: 8 * 1024 ** 3 },
    ksm: { shared: 0 },
    rootfs: { total: node.rootfs, used: disk, avail: rootFree, free: rootFree },
    pveversion: `pve-manager/${version}/${traits(call.sim.state.version).repoid}`,
    kversion: `Linux ${kernel} #1 SMP PREEMPT_DYNAMIC PMX`,
    'current-kernel': {
      sysname: 'Linux',
      release: kernel,
      version: '#1 SMP PREEMPT_DYNAMIC PMX',
      machine: 'x86_64',
    },
    'boot-info': { mode: 'efi', secureboot: 0 },
  }
}

/** The first bridge is the public one, with an address. */
function network(call: Call) {
  const node = nodeOf(call)
  const nic = {
    type: 'eth',
    exists: 1,
    active: 1,
    method: 'manual',
    method6: 'manual',
    families: ['inet'],
    priority: 3,
  }
  const bridge = {
    type: 'bridge',
    active: 1,
    autostart: 1,
    families: ['inet'],
    method6: 'manual',
    bridge_stp: 'off',
    bridge_fd: '0',
  }
  const rows = [
    { ...nic, iface: 'eno1' },
    { ...nic, iface: 'eno2', priority: 4 },
    ...bridgesOf(node).map(({ name, ports, isVlanAware }, index) => ({
      ...bridge,
      iface: name,
      ...(index === 0 ? publicFields(node) : { method: 'manual', comments: 'private\n' }),
      bridge_ports: ports,
      ...(isVlanAware && { bridge_vlan_aware: 1, bridge_vids: '2-4094' }),
      priority: 5 + index,
    })),
  ]
  const type = call.optional('type')
  const wanted = type?.startsWith('any_') ? 'bridge' : type
  const may = permissionReader(call.sim.state, call.who)
  const visible = (row: (typeof rows)[number]) =>
    may.has(`/nodes/${node.name}`, 'Sys.Audit') ||
    may.hasAny(`/sdn/zones/localnetwork/${row.iface}`, ['SDN.Audit', 'SDN.Use'])
  return rows.filter(
    (row) =>
      (wanted === undefined || wanted === 'include_sdn' || row.type === wanted) && visible(row),
  )
}

const publicFields = ({ ip }: Node) => ({
  method: 'static',
  address: ip,
  netmask: '24',
  cidr: `${ip}/24`,
  gateway: ip.replace(/\d+$/, '254'),
  comments: 'public\n',
})

function certificates(call: Call) {
  nodeOf(call)
  const { caPem, leafPem } = call.sim.tls()
  return [certificateInfo('pve-root-ca.pem', caPem), certificateInfo('pve-ssl.pem', leafPem)]
}

const CF = optText({ enum: ['AVERAGE', 'MAX'] })
/** The interface types that can be requested, in PVE's order, with the release that added them. */
const INTERFACES: [string, string?][] = [
  ['bridge'],
  ['bond'],
  ['eth'],
  ['alias'],
  ['vlan'],
  ['fabric', '9.0'],
  ['OVSBridge'],
  ['OVSBond'],
  ['OVSPort'],
  ['OVSIntPort'],
  ['vnet', '8.0'],
  ['any_bridge'],
  ['any_local_bridge', '8.0'],
  ['include_sdn', '9.0'],
]
const FRAMES = ['hour', 'day', 'week', 'month', 'year']

const interfaces = (version: Version) =>
  INTERFACES.flatMap(([kind, since]) => (!since || atLeast(version, since) ? [kind] : []))

export const nodeRoutes = [
  route('GET /nodes', { permissions: 'all', handle: nodes }),
  route('GET /nodes/{node}/status', {
    permissions: onNode('Sys.Audit'),
    proxied: true,
    params: NODE_PARAMS,
    handle: status,
  }),
  route('GET /nodes/{node}/rrddata', {
    permissions: onNode('Sys.Audit'),
    params: (version) => ({
      ...NODE_PARAMS,
      cf: CF,
      timeframe: text({ enum: atLeast(version, '9.0') ? [...FRAMES, 'decade'] : FRAMES }),
    }),
    handle: (call) =>
      nodeSeries(nodeOf(call), {
        frame: call.text('timeframe') as Timeframe,
        now: call.sim.now(),
        hostMetrics: traits(call.sim.state.version).hostMetrics,
      }),
  }),
  route('GET /nodes/{node}/network', {
    permissions: 'all',
    proxied: true,
    params: (version) => ({ ...NODE_PARAMS, type: optText({ enum: interfaces(version) }) }),
    handle: network,
  }),
  route('GET /nodes/{node}/certificates/info', {
    permissions: 'all',
    proxied: true,
    params: NODE_PARAMS,
    handle: certificates,
  }),
]
