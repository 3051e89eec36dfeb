import type { FastifyRequest } from 'fastify'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { Actor } from '../sessions/actor.ts'
import type { Look, WithRow } from '../sessions/sessions.ts'
import type { SessionCookie } from './browser/session-cookie.ts'

/** What our hooks found out about a request, for the handlers. */
export type RequestState = {
  actor: Actor | undefined
  cookie: SessionCookie
  /** Who the caller is by now, for connections that stay open. */
  again(look: Look): Promise<Actor | undefined>
  idempotency: Idempotency
  /** What was read with its session. */
  readAhead: WithRow<unknown> | undefined
}

const states = new WeakMap<FastifyRequest, RequestState>()

export const setState = (request: FastifyRequest, state: RequestState): void =>
  void states.set(request, state)

export function stateOf(request: FastifyRequest): RequestState {
  const state = states.get(request)
  if (!state) throw new Error('a handler ran before the guard')
  return state
}
