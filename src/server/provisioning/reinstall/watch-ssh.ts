import { isDemoGuest, sshPortOf } from '#shared/rules/network/ssh-port.ts'
import { readHostKeys } from '../../ssh/read-host-keys.ts'

const PATIENCE_MS = 5000
const DEMO_GUEST_MS = 20_000

type Place = { port?: number; patienceMs?: number }

const patienceFor = (address: string) => (isDemoGuest(address) ? DEMO_GUEST_MS : PATIENCE_MS)

/**
 * Whether an SSH server proves itself there. Asks again and again in the background: a silent
 * address must not delay its caller.
 */
export function watchSsh(
  address: string,
  { port = sshPortOf(address), patienceMs: timeoutMs = patienceFor(address) }: Place = {},
): () => boolean {
  let hasAnswered = false
  let isAsking = false
  const ask = async () => {
    isAsking = true
    const reading = await readHostKeys({ address, port, timeoutMs })
    hasAnswered = reading.is === 'keys' && reading.keys.length > 0
    isAsking = false
  }
  return () => {
    if (!isAsking && !hasAnswered) void ask()
    return hasAnswered
  }
}
