import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { api } from '#shared/api/index.ts'
import { UNATTENDED } from '#shared/api/parts/request.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { AppError } from '#shared/errors.ts'
import type { ApiKeys } from '../api-keys/api-keys.ts'
import type { Config } from '../config/config.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Limiters } from '../limits/limiters.ts'
import type { Look, Sessions } from '../sessions/sessions.ts'
import { bearerOf, keyActor } from './bearer.ts'
import { refuseCrossSite } from './browser/cross-site.ts'
import { pathOf, refuseOddHost } from './browser/request-address.ts'
import { setSecurityHeaders } from './browser/security-headers.ts'
import { sessionCookie } from './browser/session-cookie.ts'
import { endConnections } from './end-connections.ts'
import { handleError } from './error-handler.ts'
import { checkAccess, checkKey, checkSecondFactor } from './guard.ts'
import { type LogTarget, loggerOptions } from './observe/logger.ts'
import type { Metrics } from './observe/metrics.ts'
import { createRateLimit } from './rate-limit.ts'
import { type RequestState, setState } from './request-state.ts'
import type { finderOf } from './with-session.ts'

/** Twice the largest user data, since JSON escapes line ends, and room for the rest. */
const BODY_LIMIT = 96 * 1024
const REQUEST_ID = /^[\w-]{8,64}$/

/** The contract checks requests and writes answers. Fastify's own compilers would only cost memory. */
const NO_FASTIFY_SCHEMAS = {
  buildValidator: () => refuseSchema,
  buildSerializer: () => refuseSchema,
}
function refuseSchema(): never {
  throw new Error('A route has a schema of Fastify: describe it in src/shared/api instead.')
}

/**
 * Longer than proxies keep an unused connection (nginx a minute, Caddy two). The one who closes
 * first must be the proxy: else it sends a request into a connection that is just being closed, and
 * a client is told 502 instead of what became of an order.
 */
const KEPT_MS = 130_000

/**
 * A Fastify instance with a logger and nothing else: the logger is needed before there is anything
 * to serve.
 */
export function createFastify(config: Config, logTo?: LogTarget): FastifyInstance {
  const app = Fastify({
    logger: { ...loggerOptions(config), ...(logTo ? { stream: logTo } : {}) },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: 15_000,
    connectionTimeout: 0,
    keepAliveTimeout: KEPT_MS,
    trustProxy: config.trustProxy,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: NO_FASTIFY_SCHEMAS },
    // A URL that the router cannot parse passes no hook; its answer still looks like any other.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id)
      setSecurityHeaders(reply, config.isHttps)
      handleError(error, request, reply)
    },
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
  })
  endConnections(app)
  // For example no file handle for a new connection: open ones continue.
  app.server.on('error', (error) => app.log.error({ err: error }, 'the HTTP server'))
  return app
}

type Known = Partial<Pick<RequestState, 'actor' | 'readAhead'>>

type Parts = {
  config: Config
  sessions: Pick<Sessions, 'resolve'>
  apiKeys: Pick<ApiKeys, 'resolve'>
  limiters: Limiters
  idempotency: Idempotency
  metrics: Metrics
  clock: Clock
  log: Log
}

/** Installs the hooks that every request passes, in this order, before its body is read. */
export async function prepareServer(app: FastifyInstance, parts: Parts): Promise<void> {
  const { config, sessions, apiKeys, idempotency, metrics, clock } = parts
  const areOperatorsToHaveOne = config.operatorSecondFactor === 'required'
  const { limit, limitKey, giveBack } = createRateLimit(parts.limiters)
  const cookies = sessionCookie(config)

  await app.register(cookie)
  acceptJsonOnly(app)
  app.setErrorHandler(handleError)
  refuseUnknown(app)

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    setSecurityHeaders(reply, config.isHttps)
    // Immutable files set their own header; nothing else may be cached.
    reply.header('cache-control', 'no-store')
    const route = routeOf(request)
    await limit(request, reply, route?.limit ?? 'normal')
    refuseOddHost(request)
    const key = bearerOf(request)
    // No other site can make a browser send a key.
    if (key === undefined) refuseCrossSite(request, config.publicUrl)
    const again = async (look: Look) => {
      if (key !== undefined) return (await apiKeys.resolve(key, request.ip))?.actor
      const token = cookies.read(request)
      return token === undefined ? undefined : await sessions.resolve(token, look)
    }
    const { actor, readAhead } = await identify(request, route, key)
    setState(request, { actor, cookie: cookies, again, idempotency, readAhead })
    if (!route) return
    if (actor?.key) {
      await limitKey(reply, actor.key.id)
      checkKey(route, actor.key, request.params)
    }
    checkAccess(route, actor)
    checkSecondFactor(route, actor, { now: clock.now(), areOperatorsToHaveOne })
  })

  /** A public route ignores a key. */
  const identify = async (
    request: FastifyRequest,
    route: Route | undefined,
    key: string | undefined,
  ): Promise<Known> => {
    if (!route) return {}
    if (key !== undefined) {
      return route.access === 'public' ? {} : { actor: await keyActor(request, apiKeys, key) }
    }
    const token = cookies.read(request)
    if (token === undefined) return {}
    const look = { isUse: isByPerson(request, route) }
    const finding = request.routeOptions.config.findWithRow?.(token, request.params, look)
    if (!finding) return { actor: await sessions.resolve(token, look) }
    const readAhead = await finding
    return { actor: readAhead?.actor, readAhead }
  }

  app.addHook('onResponse', async (request, reply) => {
    const isSignIn = routeOf(request) === api.auth.login
    if (isSignIn && reply.statusCode < 300) await giveBack(request)
    const route = request.routeOptions.url ?? 'unknown'
    metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime)
    const line = { req: request, res: reply, ms: Math.round(reply.elapsedTime) }
    request.log.debug(line, 'request')
  })
}

/**
 * Our pages mark what they ask without anyone at the screen (`web/api/call.ts`), and open their
 * stream of news by themselves.
 */
const isByPerson = ({ headers }: FastifyRequest, route: Route): boolean =>
  headers[UNATTENDED] === undefined && route !== api.events.stream

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route
    /** Finds a session and what the route's handler reads with it. */
    findWithRow?: ReturnType<typeof finderOf>
  }
}

/** The row of the route table for a request; undefined for pages, files and unknown paths. */
const routeOf = (request: FastifyRequest): Route | undefined => request.routeOptions.config.route

/** Accepts JSON or nothing. An empty body is no body, whatever its content type. */
function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = typeof body === 'string' ? body : body.toString('utf8')
    if (text === '') return done(null, undefined)
    return parse(request, text, done)
  })
}

/** Under /api an unknown path is 404 and a known one with another method 405, both as JSON. */
function refuseUnknown(app: FastifyInstance): void {
  const known: { pattern: RegExp; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+').replaceAll('.', '\\.')}$`)
    for (const one of [method].flat()) known.push({ pattern, method: one })
  })
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request)
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) throw new AppError('NOT_FOUND', 'There is nothing at this address.')
    reply.header('allow', methods.join(', '))
    throw new AppError('METHOD_NOT_ALLOWED', `Use ${methods.join(' or ')} here.`)
  })
}
