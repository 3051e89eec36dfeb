import { permissionReader } from '../access/permissions.ts'
import { optional, optText, VMID } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { atLeast, traits, wire } from '../state/versions.ts'
import { badParameters } from '../wire/errors.ts'
import { clusterTaskRow } from './tasks.ts'

/** The bridges of every node show up as the SDN zone "localnetwork". */
function zones(call: Call) {
  const { state } = call.sim
  if (!atLeast(state.version, '8.0')) return []
  const modern = atLeast(state.version, '9.1')
  return [...state.nodes.values()].map(({ name, online }) => ({
    node: name,
    status: online ? 'ok' : 'unknown',
    ...(modern
      ? {
          id: `network/${name}/zone/localnetwork`,
          type: 'network',
          network: 'localnetwork',
          'network-type': 'zone',
        }
      : { id: `sdn/${name}/localnetwork`, type: 'sdn', sdn: 'localnetwork' }),
  }))
}

/** Lists what the caller may see and does not hint at the rest. */
function resources(call: Call) {
  const { state } = call.sim
  const type = call.optional('type')
  const may = permissionReader(state, call.who)
  const cache = call.sim.resources.read()
  const rows: Record<string, unknown>[] = []
  const wants = (kind: string) => type === undefined || type === kind
  const poolOf = new Map(
    [...state.pools.values()].flatMap((pool) => pool.vms.map((id) => [id, pool.poolid])),
  )
  if (type === undefined) {
    for (const { poolid } of state.pools.values()) {
      if (may.has(`/pool/${poolid}`, 'Pool.Audit'))
        rows.push({ id: `/pool/${poolid}`, type: 'pool', pool: poolid })
    }
  }
  if (wants('vm')) {
    for (const vm of state.vms.values()) {
      const pool = poolOf.get(vm.vmid)
      // Using a VM through its pool does not reveal the pool's name.
      const named = pool !== undefined && may.has(`/pool/${pool}`, 'Pool.Audit')
      if (may.has(`/vms/${vm.vmid}`, 'VM.Audit')) rows.push(cache.vm(vm, named ? pool : undefined))
    }
  }
  if (wants('node')) {
    for (const node of state.nodes.values()) {
      rows.push(cache.node(node, may.has(`/nodes/${node.name}`, 'Sys.Audit')))
    }
  }
  if (wants('storage')) {
    rows.push(
      ...cache.storages((id) =>
        may.hasAny(`/storage/${id}`, ['Datastore.Audit', 'Datastore.AllocateSpace']),
      ),
    )
  }
  if (wants('sdn') && may.hasAny('/sdn/zones/localnetwork', ['SDN.Audit', 'SDN.Allocate']))
    rows.push(...zones(call))
  return rows
}

function status({ sim }: Call) {
  const { state } = sim
  const cluster = {
    type: 'cluster',
    id: 'cluster',
    name: state.name,
    nodes: state.nodes.size,
    quorate: state.quorate ? 1 : 0,
    version: state.nodes.size,
  }
  const nodes = [...state.nodes.values()].map((node) => ({
    type: 'node',
    id: `node/${node.name}`,
    name: node.name,
    nodeid: state.standalone ? 0 : node.nodeid,
    ip: node.ip,
    online: node.online ? 1 : 0,
    local: node.name === sim.entryNode() ? 1 : 0,
    level: '',
  }))
  return state.standalone ? nodes : [cluster, ...nodes]
}

function nextId(call: Call) {
  const { state } = call.sim
  const asString = traits(state.version).strings.nextid
  const wanted = call.optionalNumber('vmid')
  if (wanted !== undefined) {
    if (state.vms.has(wanted)) throw badParameters({ vmid: `VM ${wanted} already exists` })
    return wire(wanted, asString)
  }
  let free = 100
  while (state.vms.has(free)) free++
  return wire(free, asString)
}

export const clusterRoutes = [
  route('GET /version', {
    permissions: 'all',
    handle: ({ sim }) => {
      const { version, release, repoid } = traits(sim.state.version)
      return { version, release, repoid }
    },
  }),
  route('GET /cluster/status', {
    permissions: { perm: '/', privileges: ['Sys.Audit'] },
    handle: status,
  }),
  route('GET /cluster/resources', {
    permissions: 'all',
    params: { type: optText({ enum: ['vm', 'storage', 'node', 'sdn'] }) },
    handle: resources,
  }),
  route('GET /cluster/nextid', {
    permissions: 'all',
    params: { vmid: optional(VMID) },
    handle: nextId,
  }),
  route('GET /cluster/tasks', {
    permissions: 'all',
    handle: (call) => {
      const { state } = call.sim
      const auditor = permissionReader(state, call.who).has('/', 'Sys.Audit')
      // The owner is compared without its token part, so a token never finds its own tasks.
      const own = (authid: string) => authid.split('!')[0] === call.who.authid
      return [...state.tasks.values()]
        .filter((task) => auditor || own(task.authid))
        .reverse()
        .slice(0, 50)
        .map(clusterTaskRow)
    },
  }),
]
