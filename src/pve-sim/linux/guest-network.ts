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

/** Ports from 1024 up, for those who are not root and have an SSH server of their own. */
const FORWARDS = [
  { host: 2222, guest: 22 },
  { host: 8080, guest: 80 },
]

/** Whether the addresses exist here (not on macOS) and their ports are free. */
export async function canForward(): Promise<boolean> {
  const free = await Promise.all(FORWARDS.map(({ host }) => canListen(PROBE, host)))
  return free.every(Boolean)
}

const canListen = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })

/** An option of QEMU: forwards to the guest, which cannot reach anything outside itself. */
export const networkOption = (address: string): string =>
  [
    'user,id=network,restrict=on,ipv6=off',
    ...FORWARDS.map(({ host, guest }) => `hostfwd=tcp:${address}:${host}-10.0.2.15:${guest}`),
  ].join(',')
