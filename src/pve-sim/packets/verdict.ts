import type { ClusterData, Vm } from '../state/types.ts'
import { readFrame } from './frame.ts'
import { arrives, passes } from './passes.ts'

export type Direction = 'in' | 'out'

/** How QEMU's own network calls the guest, and the machine that forwards to it. */
const GUEST = '10.0.2.15'
const HOST = '10.0.2.2'

/**
 * Whether a frame of a real guest goes on, by the firewall of its VM as it is at this moment. The
 * rules name the guest by the address it has outside of QEMU's network.
 */
export function goesOn(
  { data, vm, address }: { data: ClusterData; vm: Vm; address: string },
  direction: Direction,
  bytes: Buffer,
): boolean {
  const frame = readFrame(bytes)
  if (!frame) return true
  const outside = (ip: string) => (ip === GUEST ? address : ip === HOST ? '127.0.0.1' : ip)
  const packet = {
    ...frame,
    source: outside(frame.source),
    ...(frame.dest && { dest: outside(frame.dest) }),
  }
  // Questions are let in, and out unless they are forged; no rule is about them.
  if (frame.isQuestion) packet.isReply = true
  return direction === 'in' ? arrives(data, vm, packet) : passes(data, vm, packet, 'iptables')
}
