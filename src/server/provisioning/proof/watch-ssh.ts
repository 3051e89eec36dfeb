import { isDemoGuest, sshPortOf } from '#shared/rules/network/ssh-port.ts'
import type { HostKey } from '../../ssh/host-key.ts'
import { readHostKeys } from '../../ssh/read-host-keys.ts'
import { type Watch, watch } from './watch.ts'

const PATIENCE_MS = 5000
const DEMO_GUEST_MS = 20_000

type Place = { port?: number; patienceMs?: number }

/** How long one question takes at most. */
export const patienceFor = (address: string) => (isDemoGuest(address) ? DEMO_GUEST_MS : PATIENCE_MS)

/** The host keys that an SSH server proves to have there. */
export function watchSsh(
  address: string,
  { port = sshPortOf(address), patienceMs: timeoutMs = patienceFor(address) }: Place = {},
): Watch<readonly HostKey[]> {
  return watch(async () => {
    const reading = await readHostKeys({ address, port, timeoutMs })
    return reading.is === 'keys' && reading.keys.length > 0 ? reading.keys : undefined
  })
}
