import { connect, isIP } from 'node:net'
import { type HostKey, KINDS } from './host-key.ts'
import { exchangeKeys } from './key-exchange.ts'
import { sshInput } from './ssh-input.ts'

export type HostKeyReading =
  /** Nothing listens on the port, or what listens sent no byte in time. */
  | { is: 'no-answer' }
  /** Something answers that does not keep to SSH, or that does not have the key it shows. */
  | { is: 'not-ssh' }
  | { is: 'keys'; keys: readonly HostKey[] }

type Place = {
  /** An address, never a name: what a name leads to was not checked. */
  address: string
  port: number
  /** For everything together. */
  timeoutMs: number
  signal?: AbortSignal
}

/**
 * The host keys of an SSH server, each proven by its signature over the exchange. Never signs in,
 * and never throws, whatever the other side sends.
 */
export async function readHostKeys({
  address,
  port,
  timeoutMs,
  signal,
}: Place): Promise<HostKeyReading> {
  if (isIP(address) === 0) return { is: 'no-answer' }
  const timeout = AbortSignal.timeout(timeoutMs)
  const stopped = signal ? AbortSignal.any([signal, timeout]) : timeout
  const keys: HostKey[] = []
  let failure: HostKeyReading | undefined
  for (const algorithms of KINDS) {
    const found = await readOne({ address, port, signal: stopped }, algorithms)
    if (found.is === 'keys') keys.push(...found.keys)
    else failure = found
    // A server that did not answer once is not asked twice more.
    if (failure?.is === 'no-answer' || stopped.aborted) break
  }
  return keys.length === 0 && failure ? failure : { is: 'keys', keys }
}

async function readOne(
  { address, port, signal }: { address: string; port: number; signal: AbortSignal },
  algorithms: readonly string[],
): Promise<HostKeyReading> {
  if (signal.aborted) return { is: 'no-answer' }
  const socket = connect({ host: address, port, signal })
  // Each failure is also thrown where it is waited for.
  socket.on('error', () => undefined)
  const input = sshInput(socket)
  try {
    const key = await exchangeKeys(socket, input, algorithms)
    return { is: 'keys', keys: key ? [key] : [] }
  } catch {
    return { is: input.heard > 0 ? 'not-ssh' : 'no-answer' }
  } finally {
    socket.destroySoon()
  }
}
