import { isIpv4 } from './ipv4.ts'

export type Family = 4 | 6

/** An address as a number, so that order and membership are arithmetic. */
export type Ip = { family: Family; value: bigint }

const GROUPS = 8
const GROUP = /^[0-9a-f]{1,4}$/i

/** `203.0.113.5` or `2001:db8::5`, without prefix and zone; undefined if malformed. */
export function parseIp(text: string): Ip | undefined {
  if (isIpv4(text)) return { family: 4, value: joined(text.split('.').map(Number), 8n) }
  const groups = groupsOf(text)
  return groups && { family: 6, value: joined(groups, 16n) }
}

const joined = (parts: number[], bits: bigint): bigint =>
  parts.reduce((sum, part) => (sum << bits) + BigInt(part), 0n)

/** The eight groups, with those that `::` leaves out. */
function groupsOf(text: string): number[] | undefined {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0) return undefined
  const split = (part: string) => (part === '' ? [] : part.split(':'))
  const [before, after] = [split(head), split(tail ?? '')]
  const left = GROUPS - before.length - after.length
  if (tail === undefined ? left !== 0 : left < 1) return undefined
  const groups = [...before, ...Array<string>(left).fill('0'), ...after]
  return groups.every((group) => GROUP.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined
}

/** In the one way of writing it that the database also uses. */
export function formatIp({ family, value }: Ip): string {
  const part = (index: number, bits: number) =>
    Number((value >> BigInt(index * bits)) & ((1n << BigInt(bits)) - 1n))
  if (family === 4) return [3, 2, 1, 0].map((index) => part(index, 8)).join('.')
  const groups = Array.from({ length: GROUPS }, (_, index) => part(GROUPS - 1 - index, 16))
  const zeros = longestZeros(groups)
  const text = (list: number[]) => list.map((group) => group.toString(16)).join(':')
  if (zeros.length < 2) return text(groups)
  return `${text(groups.slice(0, zeros.at))}::${text(groups.slice(zeros.at + zeros.length))}`
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: number[]): { at: number; length: number } {
  let best = { at: 0, length: 0 }
  for (let at = 0; at < groups.length; at += 1) {
    let length = 0
    while (groups[at + length] === 0) length += 1
    if (length > best.length) best = { at, length }
  }
  return best
}

/** The address as it is stored and compared; undefined if it is none. */
export function canonicalIp(text: string): string | undefined {
  const ip = parseIp(text.trim())
  return ip && formatIp(ip)
}
