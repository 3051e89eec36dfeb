import type {
  BodyOf,
  ParamsOf,
  QueryOf,
  ReplyOf,
  Route,
  RouteGroup,
} from '#shared/api/parts/route.ts'
import type { LimitedVisitor } from '../limits/visitor.ts'
import type { Actor } from '../sessions/actor.ts'
import type { Look, SessionToken, WithRow } from '../sessions/sessions.ts'

/** The input of a handler: parsed, authorised, and independent of Fastify. */
export type Call<R extends Route> = {
  actor: R['access'] extends 'public' ? Actor | undefined : Actor
  params: ParamsOf<R>
  query: QueryOf<R>
  body: BodyOf<R>
  visitor: LimitedVisitor & { device: string }
  /** What was read with the caller's session, by `readWithSession`. */
  readAhead: WithRow<unknown> | undefined
  /** Takes effect with the response. */
  signIn(session: SessionToken): void
  signOut(): void
}

export type Handler<R extends Route> = {
  (call: Call<R>): Promise<ReplyOf<R>> | ReplyOf<R>
  /** Given by `readWithSession`. */
  withSession?: (
    token: string,
    params: ParamsOf<R>,
    look: Look,
  ) => Promise<WithRow<unknown> | undefined>
}

export type Handlers<G extends RouteGroup> = { [K in keyof G]: Handler<G[K]> }
