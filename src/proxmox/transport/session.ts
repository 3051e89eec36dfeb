import { z } from 'zod'
import { flag, maybeText } from '../wire/answers.ts'
import type { Parameters } from '../wire/encoding.ts'
import { isProxmoxError, ProxmoxError } from '../wire/errors.ts'
import type { Clock } from './clock.ts'
import type { Method } from './http.ts'

export type Auth =
  | { kind: 'token'; tokenId: string; secret: string }
  | { kind: 'password'; username: string; password: string }

export type Credentials = { headers(method: Method): Record<string, string> }

export type Session = {
  /** Valid credentials, after signing in or renewing where needed. */
  credentials(): Promise<Credentials>
  /** After a 401: newer credentials than these, or undefined where there are none. */
  replace(refused: Credentials): Promise<Credentials> | undefined
}

export const TicketAnswer = z.object({
  ticket: maybeText,
  CSRFPreventionToken: maybeText,
  NeedTFA: flag,
})
export type TicketAnswer = z.output<typeof TicketAnswer>

export type SignIn = (form: Parameters) => Promise<TicketAnswer>

/** Tickets live 2 h; renewing early tolerates a slow cluster and a wrong clock. */
const RENEW_AFTER_MS = 90 * 60_000
const LIFETIME_MS = 115 * 60_000

export function session(auth: Auth, signIn: SignIn, clock: Clock): Session {
  return auth.kind === 'token' ? tokenSession(auth) : ticketSession(auth, signIn, clock)
}

function tokenSession(auth: Extract<Auth, { kind: 'token' }>): Session {
  const headers = { authorization: `PVEAPIToken=${auth.tokenId}=${auth.secret}` }
  const credentials = { headers: () => headers }
  return {
    async credentials() {
      // A header cannot carry a line break or a letter beyond ASCII, and no real token contains
      // one.
      if (/^[\x20-\x7e]+$/.test(headers.authorization)) return credentials
      throw new ProxmoxError({ kind: 'unauthorised' }, 'not an API token')
    },
    replace: () => undefined,
  }
}

type Ticket = Credentials & { text: string; bornAt: number }

function ticketSession(
  auth: Extract<Auth, { kind: 'password' }>,
  signIn: SignIn,
  clock: Clock,
): Session {
  const { username, password } = auth
  let ticket: Ticket | undefined
  let pending: Promise<Ticket> | undefined

  const obtain = async (secret: string): Promise<Ticket> => {
    const bornAt = clock.now()
    const answer = await signIn({ username, password: secret })
    return { ...ticketOf(answer), bornAt }
  }

  /** The old ticket serves as password, so renewal requires no second factor (facts §2). */
  const renew = async (old: Ticket): Promise<Ticket> => {
    try {
      return await obtain(old.text)
    } catch (error) {
      if (isProxmoxError(error, 'unauthorised')) return obtain(password)
      // The cluster is unreachable but the old ticket is still valid: the call itself will find
      // out.
      if (clock.now() - old.bornAt < LIFETIME_MS) return old
      throw error
    }
  }

  /** Many calls share one sign-in. */
  const shared = (make: () => Promise<Ticket>): Promise<Ticket> => {
    pending ??= make()
      .then((fresh) => {
        ticket = fresh
        return fresh
      })
      .finally(() => {
        pending = undefined
      })
    return pending
  }

  return {
    async credentials() {
      const age = ticket === undefined ? Infinity : clock.now() - ticket.bornAt
      if (ticket === undefined || age >= LIFETIME_MS) return shared(() => obtain(password))
      const old = ticket
      return age < RENEW_AFTER_MS ? old : shared(() => renew(old))
    },
    replace(refused) {
      // Another call has already signed in again: its ticket is used.
      if (ticket !== undefined && ticket !== refused) return Promise.resolve(ticket)
      return shared(() => obtain(password))
    },
  }
}

function ticketOf(answer: TicketAnswer): Omit<Ticket, 'bornAt'> {
  const { ticket, CSRFPreventionToken: csrf } = answer
  if (answer.NeedTFA || ticket?.startsWith('PVE:!tfa!')) {
    const methods = challengeMethods(ticket ?? '')
    const message = `sign-in needs a second factor (${methods.join(', ')}); use an API token`
    throw new ProxmoxError({ kind: 'tfa-required', methods }, message)
  }
  if (ticket === undefined || csrf === undefined) {
    throw new ProxmoxError({ kind: 'bad-answer' }, 'POST /access/ticket: no ticket in the answer')
  }
  const cookie = { cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}` }
  const withCsrf = { ...cookie, CSRFPreventionToken: csrf }
  return { text: ticket, headers: (method) => (method === 'GET' ? cookie : withCsrf) }
}

/** `PVE:!tfa!<urlencoded JSON>:HEXTIME::sig`; the JSON's keys name the possible factors. */
function challengeMethods(ticket: string): string[] {
  const encoded = /^PVE:!tfa!([^:]*):/.exec(ticket)?.[1] ?? ''
  try {
    const challenge: unknown = JSON.parse(decodeURIComponent(encoded))
    if (typeof challenge !== 'object' || challenge === null) return []
    return Object.entries(challenge).flatMap(([method, offered]) => (offered ? [method] : []))
  } catch {
    return []
  }
}
