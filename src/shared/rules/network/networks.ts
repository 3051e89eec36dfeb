import { type Ipv4Network, isHostIn, parseNetwork, toNumber } from './ipv4-network.ts'

type Addressed = { cidr: string; gateway: string }
type Range = {
  first?: string | null | undefined
  last?: string | null | undefined
  isConfirmed: boolean
}
type Ranged = Addressed & Range

/**
 * The addresses that may be handed out of a network; none before an operator has confirmed the
 * range.
 */
function rangeOf({ first, last, isConfirmed }: Range) {
  if (!isConfirmed || !first || !last) return undefined
  return { first: toNumber(first), last: toNumber(last) }
}

/** The confirmed network whose range holds this address. */
export function usableNetworkOf<N extends Ranged>(
  networks: readonly N[],
  address: string,
): N | undefined {
  const network = networkOf(networks, address)
  const range = network && rangeOf(network)
  if (!network || !range) return undefined
  const number = toNumber(address)
  return number >= range.first && number <= range.last ? network : undefined
}

export const toAddress = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')

/** The network a VM with this address would be in: not its gateway, first or last address (P8). */
export function networkOf<N extends Addressed>(
  networks: readonly N[],
  address: string,
): N | undefined {
  return networks.find((network) => {
    const parsed = parseNetwork(network.cidr)
    return parsed !== undefined && isHostIn(parsed, address) && address !== network.gateway
  })
}

/** With its network's prefix, as a guest needs it: 203.0.113.5/24. */
export const withPrefix = (address: string, { cidr }: Addressed): string =>
  `${address}/${cidr.split('/')[1] ?? '32'}`

/** The lowest unused address of a confirmed range; undefined where all are taken. */
export function nextFreeAddress(
  networks: readonly Ranged[],
  taken: ReadonlySet<string>,
): string | undefined {
  for (const network of networks) {
    const parsed = parseNetwork(network.cidr)
    const range = rangeOf(network)
    if (!parsed || !range) continue
    const free = firstFree(within(parsed, range), new Set([...taken, network.gateway]))
    if (free !== undefined) return free
  }
  return undefined
}

type Ends = Pick<Ipv4Network, 'first' | 'last'>

/** Exclusive ends: neither the network's own address nor its broadcast belongs to a machine. */
const within = (network: Ipv4Network, range: Ends): Ends => ({
  first: Math.max(network.first, range.first - 1),
  last: Math.min(network.last, range.last + 1),
})

/** Skips taken addresses instead of trying every address of a large network. */
function firstFree({ first, last }: Ends, taken: ReadonlySet<string>): string | undefined {
  const numbers = [...taken].map(toNumber).filter((number) => number > first && number < last)
  let candidate = first + 1
  for (const number of numbers.sort((a, b) => a - b)) {
    if (number > candidate) break
    if (number === candidate) candidate += 1
  }
  return candidate < last ? toAddress(candidate) : undefined
}
