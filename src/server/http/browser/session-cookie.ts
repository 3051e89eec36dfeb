import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { SessionToken } from '../../sessions/sessions.ts'

/** Reads and writes the session cookie, the only one we set. */
export function sessionCookie({ isHttps }: Pick<Config, 'isHttps'>) {
  const name = isHttps ? '__Host-hushbox' : 'hushbox'
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
