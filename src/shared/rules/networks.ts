import { type Ipv4Network, isHostIn, parseNetwork, toNumber } from './ipv4-network.ts'

type Addressed = { cidr: string; gateway: string }

/** An address from its number. */
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

/** With the prefix of its network, as a guest is told: 203.0.113.5/24. */
export const withPrefix = (address: string, { cidr }: Addressed): string =>
  `${address}/${cidr.split('/')[1] ?? '32'}`

/** The lowest address that nobody has, network by network; undefined where all are taken. */
export function nextFreeAddress(
  networks: readonly Addressed[],
  taken: ReadonlySet<string>,
): string | undefined {
  for (const network of networks) {
    const parsed = parseNetwork(network.cidr)
    const free = parsed && firstFree(parsed, new Set([...taken, network.gateway]))
    if (free !== undefined) return free
  }
  return undefined
}

/** Jumps over what is taken instead of trying every address of a large network. */
function firstFree({ first, last }: Ipv4Network, taken: ReadonlySet<string>): string | undefined {
  const numbers = [...taken].map(toNumber).filter((number) => number > first && number < last)
  let candidate = first + 1
  for (const number of numbers.sort((a, b) => a - b)) {
    if (number > candidate) break
    if (number === candidate) candidate += 1
  }
  return candidate < last ? toAddress(candidate) : undefined
}
