import { type ProxmoxOptions, proxmoxClient } from '#proxmox/client.ts'
import { type Clock, systemClock } from '#proxmox/transport/clock.ts'
import { AppError } from '#shared/errors.ts'
import { backupActs } from '../backups/backup-acts.ts'
import { cdActs } from '../cds/cd-acts.ts'
import { isoFiles, maySurf } from '../cds/iso-files.ts'
import { clusterFacts } from '../connect/cluster-facts.ts'
import { type ClusterConnection, clientOptions } from '../connect/connection.ts'
import { findOtherHosts } from '../connect/other-hosts.ts'
import { ownAddresses } from '../connect/own-addresses.ts'
import { diagnose } from '../connect/permission-doctor.ts'
import { rightsWatch } from '../connect/rights-watch.ts'
import { diskActs } from '../disks/disk-acts.ts'
import { firewallActs } from '../firewall/firewall-acts.ts'
import { agentTurns } from '../guest/agent-turns.ts'
import { guestActs } from '../guest/guest-acts.ts'
import { screenLooks } from '../guest/screen-looks.ts'
import { circuitBreaker } from '../port/circuit-breaker.ts'
import { guarded } from '../port/guarded.ts'
import type { Hypervisor, VmIdRange } from '../port/hypervisor.ts'
import { toAppError } from '../port/hypervisor-errors.ts'
import { storeFor } from '../port/seed.ts'
import { seedActs } from '../seed/seed-acts.ts'
import { isoStores, seedStores } from '../seed/seed-stores.ts'
import { snapshotActs } from '../snapshots/snapshot-acts.ts'
import { clonesUnderWay } from '../vm/clones-under-way.ts'
import { follow } from '../vm/task-follow.ts'
import { isSameVm, vmAccess } from '../vm/vm-access.ts'
import { configActs } from '../vm-config/config-acts.ts'
import { rawConfig } from '../vm-config/raw-config.ts'
import { traitsOf } from '../vm-config/vm-traits.ts'
import { cloneActs } from './clone.ts'
import { destroyActs } from './destroy.ts'
import { inventoryOf } from './inventory.ts'
import { powerActs } from './power.ts'
import { quorumWatch } from './quorum.ts'

export type HypervisorDeps = {
  clock?: Clock
  /** Shorter in tests. */
  timeouts?: NonNullable<ProxmoxOptions['timeouts']>
  pollMs?: readonly number[]
  /** The pause between two requests to the agents of booting guests on one node. */
  agentPauseMs?: number
  /** How long one look at a screen may take. */
  lookMs?: number
  /** True if other nodes may be on this machine, as in the demo. */
  allowsLoopback?: boolean
}

/** A Proxmox VE cluster behind our port. The only module that knows the client. */
export function proxmoxHypervisor(
  connection: ClusterConnection,
  {
    clock = systemClock,
    agentPauseMs,
    lookMs,
    allowsLoopback = false,
    ...deps
  }: HypervisorDeps = {},
): Hypervisor {
  const client = open({ ...clientOptions(connection), ...deps, clock })
  const access = vmAccess(client)
  const acts = powerActs(client, access, clock)
  const underWay = clonesUnderWay(client, connection.username)
  const rights = rightsWatch(client, clock)
  const quorum = quorumWatch(client, clock)
  const files = isoFiles(client, { access, clock })

  /** The list saves most requests but omits hidden VMs, so PVE is asked before an id is used. */
  const freeVmId = async ({ first, last }: VmIdRange, taken: ReadonlySet<number> = new Set()) => {
    const listed = new Set((await client.cluster.resources({ type: 'vm' })).map(({ vmid }) => vmid))
    for (let vmId = first; vmId <= last; vmId += 1) {
      if (taken.has(vmId) || listed.has(vmId)) continue
      if (await client.cluster.isFree(vmId)) return vmId
    }
    throw new AppError('CONFLICT', `All VM ids from ${first} to ${last} are in use.`)
  }

  return guarded(
    {
      ...acts,
      ...cloneActs(client, { access, clock, underWay, archivesOnCluster: files.archivesOnCluster }),
      ...destroyActs(client, { access, power: acts.power, underWay }),
      ...configActs(client, access),
      ...diskActs(client, { access, clock }),
      ...firewallActs(client, access),
      ...snapshotActs(client, { access, clock }),
      ...backupActs(client, { access, clock }),
      ...seedActs(client, { access, clock }),
      ...cdActs(client, { access, clock }),
      ...files,
      ...guestActs(client, { access, turns: agentTurns(agentPauseMs) }),
      ...screenLooks(client, access, { lookMs }),
      listInventory: async () => {
        const resources = await client.cluster.resources()
        const inventory = inventoryOf(resources, await quorum.isQuorate())
        const held = await rights.held()
        if (!held) return inventory
        const { guestPasswords, permissions, version } = held
        const stores = seedStores(resources, permissions)
        const takesOwnIso = (node: string) =>
          storeFor(stores, node) !== undefined && maySurf(version, permissions, node)
        const names = inventory.nodes.map(({ name }) => name)
        const ownIsoNodes = new Set(names.filter(takesOwnIso))
        return { ...inventory, guestPasswords, seedStores: stores, ownIsoNodes }
      },
      waitForTask: (task, options) => follow(client, task, options),
      diagnose: async (scope) => {
        const version = await client.version.get()
        const permissions = await client.access.permissions()
        const { username } = connection
        const stores = isoStores(await client.cluster.resources({ type: 'storage' }))
        return diagnose({ version, permissions, username, scope, isoStores: stores })
      },
      freeVmId,
      isGone: (vmId) => client.cluster.isFree(vmId),
      facts: () => clusterFacts(client),
      findOtherHosts: () => findOtherHosts(client, { port: connection.port, allowsLoopback }),
      ownAddresses: () => ownAddresses(client),
      traits: (vm) => access.config(vm, traitsOf),
      rawConfig: (vm) => access.config(vm, rawConfig),
      isSame: async (vm) => {
        const config = await access.at(vm, (place) => client.qemu.config(place))
        // The marker is in the VM's notes, which an operator may have rewritten.
        return (
          isSameVm(config, vm) ||
          (vm.uuid !== undefined && isSameVm(config, { vmId: vm.vmId, uuid: vm.uuid }))
        )
      },
      close: () => client.close(),
    },
    circuitBreaker(() => performance.now()),
  )
}

function open(options: ProxmoxOptions) {
  try {
    return proxmoxClient(options)
  } catch (error) {
    throw toAppError(error)
  }
}
