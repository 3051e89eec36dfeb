import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type {
  BodyOf,
  ParamsOf,
  QueryOf,
  ReplyOf,
  Route,
  RouteGroup,
} from '#shared/api/parts/route.ts'
import type { StoredAnswer } from '../idempotency/key-store.ts'
import { describeDevice } from './browser/device-name.ts'
import type { Call, Handler, Handlers } from './handler.ts'
import { visitorOf } from './rate-limit.ts'
import { stateOf } from './request-state.ts'
import { responseWriter } from './response-writer.ts'
import { finderOf } from './with-session.ts'

/** Registers a group of the route table. A missing or mistyped handler does not compile. */
export function implement<G extends RouteGroup>(
  app: FastifyInstance,
  group: G,
  handlers: Handlers<G>,
): void {
  for (const [name, route] of Object.entries(group)) {
    const handler = handlers[name] as unknown as Handler<Route>
    const write = responseWriter(route.response)
    app.route({
      method: route.method,
      url: route.path,
      config: { route, findWithRow: finderOf(route, handler) },
      handler: async (request, reply) => {
        const call = readCall(route, request, reply)
        if (route.csv !== undefined) return sendTable(reply, route.csv, handler(call))
        const { status, body } = await onceByKey(route, request, reply, call, async () => {
          const result = await handler(call)
          const { status = 200 } = route
          return status === 204 ? { status } : { status, body: write(result) }
        })
        reply.code(status)
        if (body === undefined) return reply.send()
        return reply.type('application/json; charset=utf-8').send(body)
      },
    })
  }
}

/**
 * Sends line by line, as fast as the reader takes it. A failure on the way ends the connection, so
 * that half a table never looks like a whole one.
 */
function sendTable(reply: FastifyReply, name: string, lines: unknown) {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines as AsyncIterable<string>))
}

/** Runs a call with an `Idempotency-Key` once, however often it is sent. */
async function onceByKey(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call<Route>,
  work: () => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const key = request.headers['idempotency-key']
  const { actor, idempotency } = stateOf(request)
  if (!route.idempotent || key === undefined || !actor) return await work()
  const { params, query, body } = call
  const asked = { route, userId: actor.user.id, key, input: { params, query, body } }
  const answer = await idempotency.once(asked, work)
  if (answer.isReplay) reply.header('idempotency-replayed', 'true')
  return answer
}

type RawCall = { body: Buffer; headers: FastifyRequest['headers'] }
type RawHandlers<G extends RouteGroup> = {
  [K in keyof G]: (call: RawCall) => Promise<ReplyOf<G[K]>>
}

/** The same for routes with signed bodies: the body is passed on as the raw bytes. */
export function implementRaw<G extends RouteGroup>(
  app: FastifyInstance,
  group: G,
  handlers: RawHandlers<G>,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, body)
    })
    for (const [name, route] of Object.entries(group)) {
      const handler = handlers[name] as unknown as (call: RawCall) => Promise<unknown>
      scope.route({
        method: route.method,
        url: route.path,
        config: { route },
        handler: async ({ body, headers }) => {
          const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
          return route.response.parse(await handler({ body: bytes, headers }))
        },
      })
    }
  })
}

export function readCall<R extends Route>(
  route: R,
  request: FastifyRequest,
  reply: FastifyReply,
): Call<R> {
  const { actor, cookie, readAhead } = stateOf(request)
  return {
    actor: actor as Call<R>['actor'],
    params: route.params?.parse(request.params) as ParamsOf<R>,
    query: route.query?.parse(request.query) as QueryOf<R>,
    body: route.body?.parse(request.body ?? {}) as BodyOf<R>,
    visitor: { ...visitorOf(request), device: describeDevice(request.headers['user-agent']) },
    readAhead,
    signIn: (session) => cookie.set(reply, session),
    signOut: () => cookie.clear(reply),
  }
}
