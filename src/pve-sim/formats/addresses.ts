import { BlockList, isIP, SocketAddress } from 'node:net'

const ALIAS = /^(dc\/|guest\/)?[A-Za-z][A-Za-z0-9\-_]+$/

export const isAlias = (text: string): boolean => ALIAS.test(text)

/** Of an address or a network, which may have host bits; undefined for any other text. */
export function familyOf(cidr: string): 4 | 6 | undefined {
  const [address = '', length, ...more] = cidr.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return undefined
  const bits = family === 4 ? 32 : 128
  if (length !== undefined && (!/^\d+$/.test(length) || Number(length) > bits)) return undefined
  return family === 4 ? 4 : 6
}

/** What Proxmox's parser says about an address, a network or a range that a rule names. */
export function wrongAddress(text: string): string | undefined {
  const [from = '', to] = text.split('-')
  const quad = /^[\d.]+$/.test(from) && from.split('.').find((part) => Number(part) > 255)
  if (quad) return `Invalid quad in IP address ${from} - ${quad}`
  const family = familyOf(from)
  if (family === undefined || (to !== undefined && familyOf(to) !== family)) {
    return 'Invalid chars in IP '
  }
  const bytesOf = family === 4 ? bytesOf4 : bytesOf6
  const bits = (bytes: number[]) => bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  if (to !== undefined && bits(bytesOf(from)) > bits(bytesOf(to))) {
    return `Begin address is greater than End address ${from} - ${to}`
  }
  const [address = '', length] = from.split('/')
  const all = bits(bytesOf(address))
  if (length === undefined || !all.slice(Number(length)).includes('1')) return undefined
  return `Invalid prefix ${all}/${length}`
}

const bytesOf4 = (address: string) => address.split('.').map(Number)

/** Both halves of an IPv6 address as sixteen bytes. */
function bytesOf6(address: string): number[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const all = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after]
  return all.flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

const textOf4 = (bytes: number[]) => bytes.join('.')

function textOf6(bytes: number[]): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  )
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}

const masked = (bytes: number[], length: number) =>
  bytes.map((byte, at) => byte & (0xff00 >> Math.min(Math.max(length - at * 8, 0), 8)) & 0xff)

/**
 * As a set stores it: host bits of networks are cleared, and a network of one address is that
 * address. A single address stays as it was sent.
 */
export function storedCidr(cidr: string): string {
  const family = familyOf(cidr)
  const [address = '', length] = cidr.split('/')
  if (length === undefined || length === '0') return cidr
  const bits = Number(length)
  const text =
    family === 4
      ? textOf4(masked(bytesOf4(address), bits))
      : textOf6(masked(bytesOf6(address), bits))
  return bits === (family === 4 ? 32 : 128) ? text : `${text}/${bits}`
}

/** Whether a set that consists of these lets an address through. */
export function holds(entries: readonly { cidr: string; nomatch?: 1 }[], address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  const inside = (cidr: string) => {
    const [network = '', length] = cidr.split('/')
    if (familyOf(cidr) !== (family === 'ipv4' ? 4 : 6)) return false
    const list = new BlockList()
    list.addSubnet(network, Number(length ?? (family === 'ipv4' ? 32 : 128)), family)
    return list.check(address, family)
  }
  const matching = entries.filter(({ cidr }) => inside(cidr))
  const narrow = ({ cidr }: { cidr: string }) => Number(cidr.split('/')[1] ?? 128)
  const closest = matching.sort((a, b) => narrow(b) - narrow(a))[0]
  return closest !== undefined && closest.nomatch !== 1
}
