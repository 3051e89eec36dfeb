import type { FastifyInstance, FastifyReply } from 'fastify'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import type { Audience, EventBus, StoredEvent } from '../events/event-bus.ts'
import type { Actor } from '../sessions/actor.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { stateOf } from './request-state.ts'

const HEARTBEAT_MS = 15_000
const RETRY_MS = 3000
const PER_USER = 10
/** A reader this far behind has gone; it resumes by Last-Event-ID when it comes back. */
const MAX_BUFFERED = 1024 * 1024

type Parts = { events: EventBus; sessions: Pick<Sessions, 'resolve'>; heartbeatMs?: number }

/** One stream per page: what concerns its user, from wherever it was caused. */
export function serveEventStream(app: FastifyInstance, parts: Parts): void {
  const open = new Map<number, Set<() => void>>()
  const heartbeatMs = parts.heartbeatMs ?? HEARTBEAT_MS
  app.addHook('preClose', async () => {
    for (const streams of open.values()) for (const end of streams) end()
  })

  const { method, path } = api.events.stream
  app.route({
    method,
    url: path,
    config: { route: api.events.stream },
    handler: async (request, reply) => {
      const { actor, cookie } = stateOf(request)
      if (!actor) throw new AppError('UNAUTHENTICATED', 'Please sign in.')
      const streams = open.get(actor.user.id) ?? new Set()
      if (streams.size >= PER_USER) {
        throw new AppError('TOO_MANY_REQUESTS', 'Too many open pages. Close one.', {
          retryAfter: 30,
        })
      }
      open.set(actor.user.id, streams)
      const token = cookie.read(request) ?? ''
      const isStillSignedIn = async () => {
        const now = await parts.sessions.resolve(token)
        return now?.user.id === actor.user.id
      }
      const end = await startStream(reply, {
        events: parts.events,
        audiences: audiencesOf(actor),
        lastId: Number(request.headers['last-event-id']) || undefined,
        heartbeatMs,
        isStillSignedIn,
        onEnd: () => {
          streams.delete(end)
          if (streams.size === 0) open.delete(actor.user.id)
        },
      })
      streams.add(end)
    },
  })
}

function audiencesOf({ user, admin }: Actor): Audience[] {
  const own: Audience[] = ['everyone', `user:${user.id}`]
  return user.role === 'admin' && !admin ? [...own, 'admins'] : own
}

type Stream = {
  events: EventBus
  audiences: Audience[]
  lastId: number | undefined
  heartbeatMs: number
  isStillSignedIn(): Promise<boolean>
  onEnd(): void
}

async function startStream(reply: FastifyReply, stream: Stream): Promise<() => void> {
  const raw = reply.raw
  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  raw.write(`retry: ${RETRY_MS}\n\n`)

  let isEnded = false
  const end = () => {
    if (isEnded) return
    isEnded = true
    clearInterval(timer)
    unsubscribe()
    raw.end()
    stream.onEnd()
  }
  const send = (event: StoredEvent) => {
    raw.write(`id: ${event.id}\ndata: ${JSON.stringify(event.body)}\n\n`)
    if (raw.writableLength > MAX_BUFFERED) end()
  }
  const check = async () => {
    if (!(await stream.isStillSignedIn())) return end()
    raw.write(': still here\n\n')
  }
  const unsubscribe = stream.events.subscribe(stream.audiences, (event) => {
    send(event)
    // Told that some session of this user ended: it may be this one.
    if (event.body.type === 'signed-out') void check().catch(end)
  })
  const timer = setInterval(() => void check().catch(end), stream.heartbeatMs)
  raw.on('close', end)
  raw.on('error', end)

  if (stream.lastId !== undefined) {
    for (const event of await stream.events.since(stream.audiences, stream.lastId)) send(event)
  }
  return end
}
