import type { IncomingHttpHeaders } from 'node:http'
import type { ClusterData, User } from '../state/types.ts'
import { traits } from '../state/versions.ts'
import { unauthorized } from '../wire/errors.ts'
import { type Actor, actor } from './permissions.ts'
import { isCsrfOf, ticketUser } from './tickets.ts'

export type Caller = { who: Actor; kind: 'ticket' | 'token' | 'none' }

export const NOBODY: Caller = { who: actor(''), kind: 'none' }

const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The ticket from the cookie, or from an Authorization header of that name. */
function ticketFrom(headers: IncomingHttpHeaders): string | undefined {
  const cookie = /(?:^|;\s*)PVEAuthCookie=([^;]*)/.exec(headers.cookie ?? '')?.[1]
  const header = /^PVEAuthCookie[= ](.*)$/.exec(headers.authorization ?? '')?.[1]
  const found = cookie ?? header
  return found === undefined ? undefined : decode(found)
}

export const isUsable = (user: User | undefined, now: number): user is User =>
  user?.enable === true && (user.expire === 0 || user.expire * 1000 > now)

function tokenActor(data: ClusterData, text: string, now: number): Actor {
  const match = /^([^\s:/]+@[^\s!]+)!([A-Za-z][A-Za-z0-9.\-_]+)[=:](\S+)$/.exec(text)
  const [, userid = '', tokenid = '', secret = ''] = match ?? []
  const authid = `${userid}!${tokenid}`
  const token = data.tokens.get(authid)
  if (!match) throw refuse(data, 'value does not look like a valid token ID')
  if (!isUsable(data.users.get(userid), now)) throw refuse(data, `no such user ('${userid}')`)
  if (!token) throw refuse(data, `no such token '${tokenid}' for user '${userid}'`)
  if (token.expire !== 0 && token.expire * 1000 <= now) {
    throw refuse(data, `token '${tokenid}' access expired`)
  }
  if (token.secret !== secret) throw refuse(data, 'invalid token value!')
  return actor(authid)
}

/** Since pve-manager 9.1.5 a refusal no longer gives the reason. */
const refuse = (data: ClusterData, why: string) =>
  unauthorized(traits(data.version).unified401 ? 'Authentication failed!' : why)

type Headers = IncomingHttpHeaders & { csrfpreventiontoken?: string }

/** The caller of this request. Throws PVE's 401 with an empty body. */
export function authenticate(
  data: ClusterData,
  request: { method: string; headers: Headers },
  now: number,
): Caller {
  const ticket = ticketFrom(request.headers)
  const token = /^PVEAPIToken[= ](.*)$/.exec(request.headers.authorization ?? '')?.[1]
  // A cookie wins over a token, valid or not.
  if (ticket === undefined && token !== undefined) {
    return { who: tokenActor(data, token, now), kind: 'token' }
  }
  if (ticket === undefined) throw unauthorized('No ticket')
  const userid = ticketUser(data.ticketKey, ticket, now)
  if (userid === undefined || !isUsable(data.users.get(userid), now)) {
    throw refuse(data, 'permission denied - invalid PVE ticket')
  }
  const csrf = request.headers.csrfpreventiontoken ?? ''
  if (request.method !== 'GET' && !isCsrfOf(data.ticketKey, csrf, userid, now)) {
    // The only refusal on 9.x that still gives the reason.
    throw unauthorized('Permission denied - invalid csrf token')
  }
  return { who: actor(userid), kind: 'ticket' }
}
