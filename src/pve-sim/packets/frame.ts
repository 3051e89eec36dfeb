import { SocketAddress } from 'node:net'
import type { Packet } from './passes.ts'

/** A packet as it is in a frame of Ethernet, or a question for the owner of an address. */
export type Frame = Packet & { isQuestion: boolean }

const HEADER = 14
const ARP = 0x0806
const IPV4 = 0x0800
const IPV6 = 0x86dd

const PROTOCOLS: Record<number, NonNullable<Packet['proto']>> = {
  1: 'icmp',
  6: 'tcp',
  17: 'udp',
  58: 'icmpv6',
}
const SYN = 0x02
const ACK = 0x10
const ECHO_REPLIES = { icmp: 0, icmpv6: 129 }
const DHCP_PORTS = [67, 68, 546, 547]

/** Undefined if it is of no kind that the firewall knows. */
export function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < HEADER) return undefined
  const mac = macAt(bytes, 6)
  const type = bytes.readUInt16BE(12)
  const inside = bytes.subarray(HEADER)
  if (type === ARP && inside.length >= 28) {
    return { mac, source: ipv4At(inside, 14), isQuestion: true }
  }
  if (type === IPV4 && inside.length >= 20) {
    const packet = { mac, source: ipv4At(inside, 12), dest: ipv4At(inside, 16) }
    const length = ((inside[0] ?? 0) & 15) * 4
    return { ...packet, ...payload(inside[9], inside.subarray(length)), isQuestion: false }
  }
  if (type === IPV6 && inside.length >= 40) {
    const packet = { mac, source: ipv6At(inside, 8), dest: ipv6At(inside, 24) }
    return { ...packet, ...payload(inside[6], inside.subarray(40)), isQuestion: false }
  }
  return undefined
}

function payload(number: number | undefined, bytes: Buffer): Partial<Packet> {
  const proto = PROTOCOLS[number ?? 0]
  if (proto === undefined || bytes.length < 4) return {}
  if (proto === 'icmp' || proto === 'icmpv6') {
    return { proto, isReply: bytes[0] === ECHO_REPLIES[proto] }
  }
  const dport = bytes.readUInt16BE(2)
  if (proto === 'udp') return { proto, dport, isDhcp: DHCP_PORTS.includes(dport) }
  // Only the first packet of a connection has SYN alone.
  return { proto, dport, isReply: ((bytes[13] ?? 0) & (SYN | ACK)) !== SYN }
}

const macAt = (bytes: Buffer, at: number) =>
  [...bytes.subarray(at, at + 6)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')

const ipv4At = (bytes: Buffer, at: number) => [...bytes.subarray(at, at + 4)].join('.')

function ipv6At(bytes: Buffer, at: number): string {
  const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((offset) =>
    bytes.readUInt16BE(at + offset).toString(16),
  )
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}
