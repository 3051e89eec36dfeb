import { expect, test } from 'vitest'
import { harness } from '../testing/harness.ts'
import { readFrame } from './frame.ts'
import { goesOn } from './verdict.ts'

const MAC = 'bc:24:11:00:00:01'
const OTHER = 'bc:24:11:00:00:02'
const SYN = 0x02
const ACK = 0x10

const bytes = (...parts: (number[] | string)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : Buffer.from(part))),
  )
const ip4 = (address: string) => address.split('.').map(Number)
const port = (value: number) => [value >> 8, value & 255]
const ethernet = (mac: string, type: string) => bytes('ffffffffffff', mac.replaceAll(':', ''), type)

type Sent = { mac?: string; from?: string; to?: string; dport?: number; flags?: number }
const tcp = ({
  mac = MAC,
  from = '10.0.2.15',
  to = '10.0.2.2',
  dport = 80,
  flags = SYN,
}: Sent = {}) =>
  Buffer.concat([
    ethernet(mac, '0800'),
    bytes('45000028', '00000000', '4006', '0000', ip4(from), ip4(to)),
    bytes(port(40_000), port(dport), '0000000000000000', [0x50, flags], '000000000000'),
  ])
const arp = (from: string, mac = MAC) =>
  Buffer.concat([
    ethernet(mac, '0806'),
    bytes('0001080006040001', mac.replaceAll(':', ''), ip4(from), '000000000000', ip4('10.0.2.2')),
  ])
const ping = (type: number) =>
  Buffer.concat([
    ethernet(MAC, '0800'),
    bytes('4500001c', '00000000', '4001', '0000', ip4('10.0.2.15'), ip4('10.0.2.2')),
    bytes([type], '00000000000000'),
  ])
const neighbour = (from: string) =>
  Buffer.concat([
    ethernet(MAC, '86dd'),
    bytes('6000000000083aff', from, 'ff020000000000000000000000000001', '8700000000000000'),
  ])

test('a frame is read as the firewall sees it', () => {
  expect(readFrame(tcp({ dport: 443 }))).toEqual({
    mac: MAC,
    source: '10.0.2.15',
    dest: '10.0.2.2',
    proto: 'tcp',
    dport: 443,
    isReply: false,
    isQuestion: false,
  })
  expect(readFrame(tcp({ flags: SYN | ACK }))).toMatchObject({ isReply: true })
  expect(readFrame(tcp({ flags: ACK }))).toMatchObject({ isReply: true })
  expect(readFrame(ping(8))).toMatchObject({ proto: 'icmp', isReply: false })
  expect(readFrame(ping(0))).toMatchObject({ proto: 'icmp', isReply: true })
  expect(readFrame(arp('10.0.2.9'))).toEqual({ mac: MAC, source: '10.0.2.9', isQuestion: true })
  expect(readFrame(neighbour('fe80000000000000be2411fffe000001'))).toMatchObject({
    source: 'fe80::be24:11ff:fe00:1',
    proto: 'icmpv6',
  })
})

test('what is cut short or of another kind is none of the firewall’s', () => {
  const whole = tcp()
  for (let length = 0; length < 34; length += 1) {
    expect(readFrame(whole.subarray(0, length))).toBeUndefined()
  }
  for (let length = 34; length < whole.length; length += 1) {
    expect(readFrame(whole.subarray(0, length))).toMatchObject({ source: '10.0.2.15' })
  }
  expect(readFrame(ethernet(MAC, '88cc'))).toBeUndefined()
})

test('a frame goes on by the firewall of the VM as it is now', async () => {
  const pve = await harness()
  const vm = pve.sim.state.vms.get(104)
  if (!vm) throw new Error('no VM 104')
  const address = '203.0.113.5'
  const at = (rest: string) => `/nodes/pve1/qemu/104/firewall${rest}`
  const of = { data: pve.sim.state, vm, address }
  const leaves = (frame: Buffer) => goesOn(of, 'out', frame)
  const arrives = (frame: Buffer) => goesOn(of, 'in', frame)
  const forged = [
    tcp({ from: '203.0.113.6' }),
    tcp({ mac: OTHER }),
    arp('10.0.2.9'),
    arp('10.0.2.15', OTHER),
  ]
  vm.config.net0 = `virtio=${MAC},bridge=vmbr0,firewall=1`
  expect(forged.map(leaves)).toEqual([true, true, true, true])

  await pve.call('PUT', '/cluster/firewall/options', { enable: '1' })
  await pve.call('POST', at('/ipset'), { name: 'ipfilter-net0' })
  await pve.call('POST', at('/ipset/ipfilter-net0'), { cidr: address })
  await pve.call('PUT', at('/options'), { enable: '1', ipfilter: '1', dhcp: '0' })
  expect([tcp(), ping(8), ping(0), arp('10.0.2.15')].map(leaves)).toEqual([true, true, true, true])
  expect(forged.map(leaves)).toEqual([false, false, false, false])

  // Nothing new comes in by default; answers and questions do.
  const fromOutside = { mac: OTHER, from: '10.0.2.2', to: '10.0.2.15' }
  expect(arrives(tcp({ ...fromOutside, dport: 22 }))).toBe(false)
  expect(arrives(tcp({ ...fromOutside, flags: ACK }))).toBe(true)
  expect(arrives(arp('10.0.2.2', OTHER))).toBe(true)
  const rule = { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '22', enable: '1' }
  await pve.call('POST', at('/rules'), { ...rule, source: '127.0.0.0/8' })
  expect(arrives(tcp({ ...fromOutside, dport: 22 }))).toBe(true)
  expect(arrives(tcp({ ...fromOutside, dport: 23 }))).toBe(false)

  // A reply is not asked for again, a new connection is.
  const noMail = { type: 'out', action: 'DROP', proto: 'tcp', dport: '25', enable: '1' }
  await pve.call('POST', at('/rules'), noMail)
  expect(leaves(tcp({ dport: 25 }))).toBe(false)
  expect(leaves(tcp({ dport: 25, flags: ACK }))).toBe(true)
  await pve.close()
})
