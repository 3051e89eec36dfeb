import { isDemoGuest, sshPortOf } from '#shared/rules/network/ssh-port.ts'
import type { HostKey } from '../../ssh/host-key.ts'
import { readHostKeys } from '../../ssh/read-host-keys.ts'
import { watch } from './watch.ts'

const PATIENCE_MS = 5000
const DEMO_GUEST_MS = 20_000

type Place = { port?: number; patienceMs?: number }

const patienceFor = (address: string) => (isDemoGuest(address) ? DEMO_GUEST_MS : PATIENCE_MS)

/** The host keys that an SSH server proves to have there. */
export function watchSsh(
  address: string,
  { port = sshPortOf(address), patienceMs: timeoutMs = patienceFor(address) }: Place = {},
): () => readonly HostKey[] | undefined {
  return watch(async () => {
    const reading = await readHostKeys({ address, port, timeoutMs })
    return reading.is === 'keys' && reading.keys.length > 0 ? reading.keys : undefined
  })
}
