import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { api } from '#shared/api/index.ts'
import { MAX_EVENT_AGE_MS, type ServerEvent } from '#shared/api/overview/events.ts'
import { AppError } from '#shared/errors.ts'
import type { Audience, EventBus, StoredEvent } from '../events/event-bus.ts'
import { createSlots, type Slots } from '../lib/async/slots.ts'
import type { Log } from '../lib/log.ts'
import { type Actor, isAdmin } from '../sessions/actor.ts'
import type { Metrics } from './observe/metrics.ts'
import { stateOf } from './request-state.ts'

const HEARTBEAT_MS = 15_000
const RETRY_MS = 3000
const GOODBYE_MS = 1000
const PER_USER = 10
/** A reader this far behind is disconnected; it resumes by Last-Event-ID when it reconnects. */
const MAX_BUFFERED = 1024 * 1024
/** As many digits as a number holds without rounding. */
const EVENT_ID = /^\d{1,15}$/

type Parts = {
  events: EventBus
  log: Log
  metrics: Pick<Metrics, 'watch'>
  heartbeatMs?: number
}

/** One stream per page: every event for its user, from any process. */
export function serveEventStream(app: FastifyInstance, parts: Parts): void {
  const open = new Set<() => void>()
  const slots = createSlots(PER_USER)
  parts.metrics.watch('hushbox_event_streams', 'Open event streams', () => slots.size)
  app.addHook('preClose', async () => {
    for (const end of open) end()
  })

  const { method, path } = api.events.stream
  app.route({
    method,
    url: path,
    config: { route: api.events.stream },
    handler: async (request, reply) => {
      const { actor, again } = stateOf(request)
      if (!actor) throw new AppError('UNAUTHENTICATED', 'Please sign in.')
      const from = { lastId: lastEventId(request), age: ageOf(request) }
      const stream = startStream(reply, takeSlot(slots, actor), {
        ...parts,
        audiences: audiencesOf(actor),
        async isStillSignedIn() {
          const now = await again({ isUse: false })
          return now?.user.id === actor.user.id
        },
      })
      open.add(stream.end)
      stream.onEnd(() => open.delete(stream.end))
      await stream.begin(from)
    },
  })
}

/** Undefined for a page that has not received an event yet. */
function lastEventId(request: FastifyRequest): number | undefined {
  const given = request.headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (typeof given === 'string' && EVENT_ID.test(given)) return Number(given)
  throw new AppError('INVALID_INPUT', 'Last-Event-ID must be the id of an event of this stream.')
}

/** Undefined for a page that does not state the age of its data. */
function ageOf(request: FastifyRequest): number | undefined {
  const asked = api.events.stream.query?.safeParse(request.query)
  if (asked?.success === true) return asked.data.age
  throw new AppError('INVALID_INPUT', `age must be from 0 to ${MAX_EVENT_AGE_MS} milliseconds.`)
}

function takeSlot(slots: Slots, { user }: Actor): () => void {
  const release = slots.take(user.id)
  if (release) return release
  throw new AppError('TOO_MANY_REQUESTS', 'Too many open pages. Close one.', { retryAfter: 30 })
}

function audiencesOf(actor: Actor): Audience[] {
  const own: Audience[] = ['everyone', `user:${actor.user.id}`]
  return isAdmin(actor) ? [...own, 'admins'] : own
}

/**
 * What a new page has to reload. The causes are omitted, because they happened before it was
 * opened.
 */
const changedIn = (told: readonly StoredEvent[]): string[] => [
  ...new Set(
    told.flatMap(({ body }) => {
      if (body.type === 'changed') return body.nouns
      return body.type === 'job' ? ['jobs'] : []
    }),
  ),
]
const toChanged = (nouns: string[]): ServerEvent => ({ type: 'changed', nouns })

/**
 * A resuming stream names the last event it received; a new one states how old the page's data may
 * be.
 */
type Beginning = { lastId: number | undefined; age: number | undefined }

type Stream = Parts & { audiences: Audience[]; isStillSignedIn(): Promise<boolean> }

/**
 * Holds the slot until the connection is gone, however early that is. Everything that has to be
 * released is known before the first await: a reset can come at any moment, even before the first
 * byte.
 */
function startStream(reply: FastifyReply, release: () => void, stream: Stream) {
  const { raw } = reply
  const endings: (() => void)[] = [release]
  /** Events that happen while older ones are being read are sent after them. */
  let waiting: StoredEvent[] | undefined = []
  let isEnded = false

  const end = () => {
    if (isEnded) return
    isEnded = true
    for (const ending of endings) ending()
    if (!raw.headersSent) return
    raw.end()
    // A reader that stops reading would keep the connection and its buffer.
    const timer = setTimeout(() => raw.destroy(), GOODBYE_MS).unref()
    raw.once('close', () => clearTimeout(timer))
  }
  const send = (event: StoredEvent) => {
    if (isEnded) return
    raw.write(`id: ${event.id}\ndata: ${JSON.stringify(event.body)}\n\n`)
    if (raw.writableLength > MAX_BUFFERED) end()
  }
  const check = () => {
    stream.isStillSignedIn().then(
      (isSignedIn) => {
        if (!isSignedIn) end()
        else if (!isEnded) raw.write(': still here\n\n')
      },
      (error: unknown) => {
        // The page reconnects, and its session is checked again then.
        stream.log.warn({ err: error }, 'an event stream ended: its session could not be checked')
        end()
      },
    )
  }
  const unsubscribe = stream.events.subscribe(stream.audiences, (event) => {
    if (waiting) return void waiting.push(event)
    send(event)
    // Some session of this user ended: it may be this one.
    if (event.body.type === 'signed-out') check()
  })
  endings.push(unsubscribe)
  raw.on('close', end)
  raw.on('error', end)
  // Closed while the session was looked up: no further event will report it.
  if (raw.destroyed) end()

  return {
    end,
    onEnd(ending: () => void) {
      if (isEnded) ending()
      else endings.push(ending)
    },
    /**
     * Sends the missed events, then new ones as they happen. A failure before that is sent as an
     * error response.
     */
    async begin({ lastId, age }: Beginning): Promise<void> {
      const { events, audiences } = stream
      let missed: StoredEvent[] = []
      let changed: string[] = []
      try {
        if (lastId !== undefined) missed = await events.since(audiences, lastId)
        else if (age !== undefined) changed = changedIn(await events.lately(audiences, age))
      } catch (error) {
        end()
        throw error
      }
      reply.hijack()
      if (isEnded) return void raw.destroy()
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      raw.write(`retry: ${RETRY_MS}\n\n`)
      const timer = setInterval(check, stream.heartbeatMs ?? HEARTBEAT_MS)
      endings.push(() => clearInterval(timer))
      const meanwhile = waiting ?? []
      waiting = undefined
      if (changed.length > 0) raw.write(`data: ${JSON.stringify(toChanged(changed))}\n\n`)
      for (const event of [...missed, ...meanwhile]) send(event)
      const isAsked = meanwhile.some(({ body }) => body.type === 'signed-out')
      if (isAsked) check()
    },
  }
}
