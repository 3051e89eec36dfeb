import { createServer } from 'node:net'
import { parseProperties } from '../formats/property-string.ts'
import type { Vm } from '../state/types.ts'
import { isWindows } from '../vm/vm-config.ts'

/**
 * The network of real guests: addresses of this machine, forwarded to them. On Linux all of
 * 127.0.0.0/8 is there without any setup.
 */
const GUEST_NETWORK = '127.77.0'
const PROBE = `${GUEST_NETWORK}.1`

/** The address under which a VM is a real guest; undefined for every other VM. */
export function guestAddress(vm: Vm): string | undefined {
  const ip = parseProperties(vm.config.ipconfig0 ?? '')
    .get('ip')
    ?.split('/')[0]
  return ip?.startsWith(`${GUEST_NETWORK}.`) && !isWindows(vm.config) ? ip : undefined
}

type Forward = { host: number; guest: number }

const USUAL: Forward[] = [22, 80, 443].map((port) => ({ host: port, guest: port }))
/** For those who may not listen below 1024, or whose own SSH server listens at every address. */
const HIGH: Forward[] = [
  { host: 2222, guest: 22 },
  { host: 8080, guest: 80 },
]

const canListen = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })

/** The ports that can be forwarded here; none where the addresses do not exist (macOS). */
export async function findForwards(): Promise<Forward[]> {
  const open = await Promise.all(USUAL.map(({ host }) => canListen(PROBE, host)))
  if (open[0]) return USUAL.filter((_, index) => open[index])
  return (await canListen(PROBE, HIGH[0]?.host ?? 0)) ? HIGH : []
}

/** An option of QEMU: forwards to the guest, which cannot reach anything outside itself. */
export const networkOption = (address: string, forwards: Forward[]): string =>
  [
    'user,id=network,restrict=on,ipv6=off',
    ...forwards.map(({ host, guest }) => `hostfwd=tcp:${address}:${host}-10.0.2.15:${guest}`),
  ].join(',')

export type Forwards = Forward[]
