import { Resolver } from 'node:dns/promises'
import { AppError } from '#shared/errors.ts'
import { canonicalIp } from '#shared/rules/network/ip.ts'

const TIMEOUT_MS = 1500
const TRIES = 2

/** Answers that mean: there is no such record. */
const NO_RECORD = ['ENOTFOUND', 'ENODATA']

export type ForwardCheck = (hostname: string, address: string) => Promise<void>

const refused = (message: string, cause?: unknown) =>
  new AppError('NOT_FORWARD_CONFIRMED', message, {
    details: [{ path: 'hostname', message }],
    cause,
  })

/**
 * Asks name servers whether a name leads to the address, so that no server takes another's name. Uses
 * the system's resolvers unless others are given.
 */
export function createForwardCheck(servers: readonly string[] | undefined): ForwardCheck {
  return async (hostname, address) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers) resolver.setServers([...servers])
    const isSix = address.includes(':')
    const kind = isSix ? 'AAAA' : 'A'
    let found: string[]
    try {
      found = await (isSix ? resolver.resolve6(hostname) : resolver.resolve4(hostname))
    } catch (error) {
      throw noAnswer(error, { hostname, address, kind })
    }
    if (found.some((one) => canonicalIp(one) === address)) return
    const others = found.slice(0, 3).join(', ')
    throw refused(
      `${hostname} leads to ${others}, not to ${address}. Add an ${kind} record for ${address}, then try again.`,
    )
  }
}

/** "There is none" is an answer; silence and failure of the name servers are not. */
function noAnswer(
  error: unknown,
  { hostname, address, kind }: { hostname: string; address: string; kind: string },
): Error {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && NO_RECORD.includes(code)) {
    return refused(
      `${hostname} has no ${kind} record for ${address}. Add it, then try again. New records can take some minutes to be seen.`,
    )
  }
  if (code === 'ETIMEOUT') {
    return refused(
      `The name servers of ${hostname} did not answer in time. Nothing was changed: try again in a few minutes.`,
      error,
    )
  }
  const said = typeof code === 'string' ? ` (${code.replace(/^E/, '')})` : ''
  return refused(
    `${hostname} could not be looked up: its name servers answered with an error${said}. Nothing was changed: check them, then try again.`,
    error,
  )
}
