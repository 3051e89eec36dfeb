import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { openPostgres } from '../../src/server/db/connect/postgres.ts'
import { migrate } from '../../src/server/db/migrate.ts'
import { atEnd } from '../../src/server/testing/at-end.ts'
import { startFaultProxy } from '../../src/server/testing/fault-proxy.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import {
  removeFolder,
  type ServerProcess,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'

const SECRET_KEY = 'a key for a database that goes away'
/** From the moment the database answers again to the first write of each process. */
const RECOVERY_MS = 10_000
const WRITERS = 2

type Call = Awaited<ReturnType<typeof signIn>>

/**
 * A separate PostgreSQL, which may be killed, and two server processes on it through a connection
 * that fails.
 */
async function startWorld() {
  const primary = await startPostgres()
  atEnd(() => primary.stop())
  const made = await openPostgres({ url: primary.url, onError: () => undefined })
  await migrate(made)
  await made.close()
  const proxy = await startFaultProxy(primary.url)
  atEnd(() => proxy.close())
  const env = { DATABASE_URL: proxy.through(primary.url), SECRET_KEY, DEMO: '0' }
  const startServer = async () => {
    const server = await startProcess(env)
    atEnd(async () => {
      await server.kill()
      removeFolder(server.dataDir)
    })
    return server
  }
  const servers = [await startServer(), await startServer()]
  const calls: Call[] = []
  for (const { url } of servers) calls.push(await signIn(url))
  return { primary, proxy, servers, calls }
}

/** Writes without a pause until stopped; records what was acknowledged and every other answer. */
function writers(calls: Call[]) {
  const acknowledged: string[] = []
  const refused: { status: number; code: string; retryAfter: string | null }[] = []
  let isStopped = false
  let count = 0
  const write = async (call: Call): Promise<boolean> => {
    count += 1
    const email = `person-${count}@example.test`
    const body = JSON.stringify({ email, firstName: 'Ada', lastName: 'Byron' })
    const reply = await call('/api/users', { method: 'POST', body })
    if (reply.status === 201) acknowledged.push(email)
    else {
      const { code } = (await reply.json()) as { code: string }
      refused.push({ status: reply.status, code, retryAfter: reply.headers.get('retry-after') })
    }
    return reply.status === 201
  }
  const work = async (call: Call) => {
    while (!isStopped) {
      // A refusal says when to retry; a tenth of that keeps the pressure up.
      if (!(await write(call))) await new Promise((later) => setTimeout(later, 100))
    }
  }
  const all = Promise.all(
    calls.flatMap((call) => Array.from({ length: WRITERS }, () => work(call))),
  )
  return {
    acknowledged,
    refused,
    write,
    async stop() {
      isStopped = true
      await all
    },
  }
}

const isRunning = async ({ ended }: ServerProcess): Promise<boolean> =>
  (await Promise.race([ended, Promise.resolve('running')])) === 'running'

test('PostgreSQL that is killed, restarted, cut off or replaced ends no process and loses nothing', async () => {
  const { primary, proxy, servers, calls } = await startWorld()
  const load = writers(calls)
  atEnd(() => load.stop())
  const grown = async (by = 10) => {
    const before = load.acknowledged.length
    const enough = () => expect(load.acknowledged.length).toBeGreaterThanOrEqual(before + by)
    await vi.waitFor(enough, { timeout: 60_000, interval: 20 })
  }
  const heardOf = async () => {
    const before = load.refused.length
    const some = () => expect(load.refused.length).toBeGreaterThan(before)
    await vi.waitFor(some, { timeout: 60_000, interval: 20 })
  }
  const isBack = async () => {
    const since = performance.now()
    for (const call of calls) {
      const written = async () => expect(await load.write(call)).toBe(true)
      await vi.waitFor(written, { timeout: RECOVERY_MS, interval: 100 })
    }
    expect(performance.now() - since).toBeLessThan(RECOVERY_MS)
    expect(await Promise.all(servers.map(isRunning))).toEqual([true, true])
    await grown()
  }
  const restarted = () => vi.waitFor(() => primary.restart(), { timeout: 30_000, interval: 100 })

  await grown()
  await terminateAll(primary.url)
  await isBack()

  for (let n = 0; n < 5; n += 1) proxy.cut()
  await isBack()

  proxy.isRefusing = true
  proxy.cut()
  await heardOf()
  await expectUnavailable(calls)
  proxy.isRefusing = false
  await isBack()

  // Nothing passes, without an error: every caller is answered all the same.
  proxy.isSwallowing = true
  await heardOf()
  await expectUnavailable(calls)
  proxy.isSwallowing = false
  await isBack()

  await primary.halt()
  await heardOf()
  await restarted()
  await isBack()

  await primary.kill()
  await heardOf()
  await restarted()
  await isBack()

  // Fail-over: the address leads to a standby that takes no writes yet, then to the new primary.
  await primary.halt()
  const standby = await primary.startStandby()
  atEnd(() => standby.stop())
  proxy.lead(standby.port)
  await heardOf()
  await expectUnavailable(calls)
  await standby.promote()
  await isBack()

  await load.stop()
  expect(load.refused.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([])
  const stored = await emailsIn(standby.url)
  expect(load.acknowledged.filter((email) => !stored.has(email))).toEqual([])

  // Listeners were reopened too: events of one process reach a page of the other.
  await expectNewsAcross(calls, load.write)
  for (const server of servers) expect(await server.stop(), server.output()).toBe(0)
}, 300_000)

/** The process itself is healthy, reports that it cannot work, and asks clients to retry later. */
async function expectUnavailable(calls: Call[]): Promise<void> {
  for (const call of calls) {
    expect((await call('/healthz')).status).toBe(200)
    expect((await call('/metrics')).status).toBe(200)
    const ready = await call('/readyz')
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ checks: { database: false } })
    const read = await call('/api/admin/users')
    expect([read.status, (await read.json()) as object]).toMatchObject([
      503,
      { code: 'UNAVAILABLE' },
    ])
    expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0)
    // It reads the server while it looks up the session: both fail.
    expect((await call('/api/instances/1')).status).toBe(503)
  }
}

async function expectNewsAcross([one, two]: Call[], write: (call: Call) => Promise<boolean>) {
  if (!one || !two) throw new Error('there are not two')
  const stop = new AbortController()
  atEnd(() => stop.abort())
  const reply = await two('/api/events', { signal: stop.signal })
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) text += decoder.decode(chunk)
  }
  const reading = read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  expect(await write(one)).toBe(true)
  await vi.waitFor(() => expect(text).toContain('"nouns":["users"]'), { timeout: 10_000 })
  stop.abort()
  await reading
}

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const terminateAll = (url: string) =>
  onDatabase(url, (client) =>
    client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
    ),
  )

const emailsIn = (url: string): Promise<Set<string>> =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query<{ email: string }>('select email from users')
    return new Set(rows.map(({ email }) => email))
  })
