import type { ClusterSettings } from '#shared/api/servers/clusters.ts'
import { AppError } from '#shared/errors.ts'
import {
  type Ipv4Network,
  isHostIn,
  overlaps,
  parseNetwork,
  toNumber,
} from '#shared/rules/network/ipv4-network.ts'
import type { Inventory } from '../../hypervisor/port/hypervisor.ts'

const invalid = (path: string, message: string) =>
  new AppError('INVALID_INPUT', message, { details: [{ path: `settings.${path}`, message }] })

/** Checks what the schema cannot: that the settings fit together, and fit the cluster. */
export function checkSettings(settings: ClusterSettings, inventory: Inventory | undefined): void {
  const networks = settings.networks.map(({ cidr, gateway }, index) => {
    const network = parseNetwork(cidr)
    if (!network) {
      throw invalid(`networks.${index}.cidr`, 'Network must look like 203.0.113.0/24')
    }
    if (!isHostIn(network, gateway)) {
      const message = `The gateway ${gateway} does not lie in the network ${cidr}.`
      throw invalid(`networks.${index}.gateway`, message)
    }
    checkRange(settings.networks[index], network, index)
    return { cidr, network }
  })
  for (const [index, a] of networks.entries()) {
    const b = networks.slice(0, index).find((other) => overlaps(a.network, other.network))
    if (b) throw invalid(`networks.${index}.cidr`, `${a.cidr} and ${b.cidr} overlap.`)
  }
  checkStorage(settings.storage, inventory)
}

function checkRange(
  given: ClusterSettings['networks'][number] | undefined,
  network: Ipv4Network,
  index: number,
): void {
  if (!given?.isConfirmed) return
  const { first, last, cidr } = given
  if (!first) throw invalid(`networks.${index}.first`, 'Enter the first address for clients.')
  if (!last) throw invalid(`networks.${index}.last`, 'Enter the last address for clients.')
  for (const [field, address] of Object.entries({ first, last })) {
    if (isHostIn(network, address)) continue
    throw invalid(
      `networks.${index}.${field}`,
      `${address} is no address for a machine in ${cidr}.`,
    )
  }
  if (toNumber(first) > toNumber(last)) {
    throw invalid(`networks.${index}.last`, 'The last address must not come before the first.')
  }
}

function checkStorage(storage: ClusterSettings['storage'], inventory: Inventory | undefined): void {
  if (!storage || !inventory || inventory.storages.some(({ name }) => name === storage)) return
  throw invalid('storage', `The cluster has no storage ${storage} for VM disks.`)
}
