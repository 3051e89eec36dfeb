import type { FastifyInstance, InjectOptions } from 'fastify'
import type { SimOptions } from '#pve-sim/options.ts'
import type { Sim } from '#pve-sim/sim.ts'
import type { RequestOf, ResponseOf, Route } from '#shared/api/parts/route.ts'
import type { ErrorBody } from '#shared/errors.ts'
import { buildApp } from '../app.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { createEventBus } from '../events/event-bus.ts'
import { cookieName } from '../http/browser/session-cookie.ts'
import type { LogTarget } from '../http/observe/logger.ts'
import { createFastify } from '../http/server.ts'
import { hypervisors } from '../hypervisor/hypervisors.ts'
import type { ClusterRow } from '../inventory/clusters/cluster-store.ts'
import { createJobs } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import { systemRandom } from '../lib/random.ts'
import type { Deps } from '../runtime/deps.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { createSessions, type Sessions } from '../sessions/sessions.ts'
import { stopInventory, withInventory } from '../start.ts'
import { atEnd } from './at-end.ts'
import { createFactories } from './factories.ts'
import { type DatabaseKind, testDb } from './test-db.ts'
import { addSimCluster, guideAccount, startTestSim } from './with-sim.ts'

export type TestClock = Clock & { advance(ms: number): void; set(at: Date): void }

/** Stands still unless advanced. */
export function testClock(start = new Date('2026-11-15T12:00:00Z')): TestClock {
  let now = start.getTime()
  return {
    now: () => new Date(now),
    advance: (ms) => {
      now += ms
    },
    set: (at) => {
      now = at.getTime()
    },
  }
}

type Answer<R extends Route> = {
  status: number
  headers: Record<string, unknown>
  /** On success the route's response, else the error. */
  body: ResponseOf<R> extends undefined ? ErrorBody : ResponseOf<R> & ErrorBody
  /** The session cookie set by the answer. */
  cookie: string | undefined
}

export type Person = { id: number; role: string }
export type TestApp = Awaited<ReturnType<typeof bareApp>>
/** With a simulated cluster, connected and read. It is polled only when a test asks for it. */
export type SimApp = TestApp & { sim: Sim; cluster: ClusterRow }

type Options = {
  /** PostgreSQL unless a test says otherwise: the embedded one takes more processor time. */
  database?: DatabaseKind
  env?: Record<string, string>
  clock?: Clock
  /** Shares a database with another app, as two processes do. */
  on?: Database
  /** With `queued` jobs are stored and none of them runs. */
  withJobs?: boolean | 'queued'
  /** Collects the log. */
  logTo?: LogTarget
  sim?: true | SimOptions
  /** Connects the simulator with the account of the operator guide instead of root's. */
  account?: 'guide'
}

/** No automatic polls during a test, and no patience with a cluster that is made to fail. */
const NEVER_MS = 3_600_000
const TIMEOUTS = { connectMs: 5000, requestMs: 5000, slowMs: 5000, loginMs: 5000 }

/** The real application on a real database; closed when the test, or else its file, is done. */
export async function testApp(options: Options & { sim: true | SimOptions }): Promise<SimApp>
export async function testApp(options?: Options): Promise<TestApp>
export async function testApp(options: Options = {}): Promise<TestApp | SimApp> {
  if (!options.sim) return await bareApp(options)
  const sim = await startTestSim(options.sim === true ? {} : options.sim)
  atEnd(() => sim.close())
  const t = await bareApp(options)
  const account = options.account === 'guide' ? guideAccount(sim) : {}
  return { ...t, sim, cluster: await addSimCluster(t.deps, sim, account) }
}

async function bareApp(options: Options) {
  const config: Config = readConfig({
    RATE_LIMIT_SCALE: '0',
    LOG_LEVEL: 'silent',
    // Tests of the second factor demand one; the others would each have to set it up.
    OPERATOR_SECOND_FACTOR: 'optional',
    ...options.env,
  })
  const database = options.on ?? (await testDb(options.database ?? 'postgres'))
  const app = createFastify(config, options.logTo)
  const clock = options.clock ?? { now: () => new Date() }
  const events = await createEventBus(database, app.log)
  const now = () => clock.now().getTime()
  const deps: Deps = withInventory({
    config,
    database,
    db: database.db,
    clock,
    random: systemRandom,
    keyring: createKeyring('a key for tests, long enough to be one'),
    events,
    jobs: createJobs({
      database,
      events,
      clock,
      log: app.log,
      isWorker: options.withJobs !== 'queued',
    }),
    hypervisors: hypervisors({
      pollMs: [5, 10, 20],
      everyMs: NEVER_MS,
      timeouts: TIMEOUTS,
      agentPauseMs: 20,
      allowsLoopback: config.demo,
      now,
    }),
    log: app.log,
  })
  await buildApp(app, deps)
  await app.ready()
  if (options.withJobs) await deps.jobs.start()
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await app.close()
    if (options.withJobs) await deps.jobs.stop()
    await stopInventory(deps)
    await events.close()
    if (!options.on) await database.close()
  }
  atEnd(close)

  const sessions = createSessions(deps)
  return {
    app,
    /** Closes it before that, for a test that continues with what is left. */
    close,
    deps,
    db: database.db,
    database,
    sessions,
    make: createFactories(deps),
    visitor: caller(app, config, undefined),
    /** Calls as this person, in a new session. */
    as: (person: Person) => caller(app, config, newSession(deps, sessions, person)),
    /** Calls with this cookie. */
    with: (cookie: string) => caller(app, config, Promise.resolve(cookie)),
  }
}

async function newSession(deps: Deps, sessions: Sessions, person: Person): Promise<string> {
  const { token } = await deps.db.transaction((tx) => sessions.start(tx, person, 'Vitest'))
  return token
}

function caller(app: FastifyInstance, config: Config, session: Promise<string> | undefined) {
  // Created lazily, so that an unused caller is no unhandled rejection.
  session?.catch(() => undefined)

  const send = async (request: InjectOptions) => {
    const token = await session
    const reply = await app.inject({
      ...request,
      ...(token === undefined ? {} : { cookies: { [cookieName(config)]: token } }),
    })
    return reply
  }

  /** Returns any answer, including refusals. */
  async function attempt<R extends Route>(route: R, ...[input]: Input<R>): Promise<Answer<R>> {
    const { params, query, body } = (input ?? {}) as {
      params?: Record<string, unknown>
      query?: Record<string, string>
      body?: object
    }
    const url = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(String(params?.[name])),
    )
    const reply = await send({
      method: route.method,
      url,
      ...(query ? { query } : {}),
      ...(body === undefined ? {} : { payload: body }),
    })
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.body === '' ? undefined : reply.json(),
      cookie: reply.cookies.find(({ name }) => name === cookieName(config))?.value,
    } as Answer<R>
  }

  /** Returns the route's response; a refusal fails the test with its reason. */
  async function call<R extends Route>(route: R, ...input: Input<R>): Promise<ResponseOf<R>> {
    const answer = await attempt(route, ...input)
    if (answer.status < 300) return answer.body as ResponseOf<R>
    throw new Error(
      `${route.method} ${route.path}: ${answer.status} ${answer.body?.code} ${answer.body?.message}`,
    )
  }

  return { attempt, call, send, cookie: session }
}

type Input<R extends Route> =
  Record<never, never> extends RequestOf<R> ? [RequestOf<R>?] : [RequestOf<R>]
