import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { SessionToken } from '../../sessions/sessions.ts'

/** Over https, browsers accept a name with this prefix only from our own host. */
export const cookieName = ({ isHttps }: Pick<Config, 'isHttps'>): string =>
  isHttps ? '__Host-hushbox' : 'hushbox'

/** Reads and writes the session cookie, the only one we set. */
export function sessionCookie(config: Pick<Config, 'isHttps'>) {
  const { isHttps } = config
  const name = cookieName(config)
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps } as const
  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[name],
    set(reply: FastifyReply, { token, expiresAt }: SessionToken): void {
      reply.setCookie(name, token, { ...options, expires: expiresAt })
    },
    clear(reply: FastifyReply): void {
      reply.clearCookie(name, options)
    },
  }
}
export type SessionCookie = ReturnType<typeof sessionCookie>
