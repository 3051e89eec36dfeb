import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { z } from 'zod'
import { api } from '#shared/api/index.ts'
import { defineJob } from '../jobs/job-definition.ts'
import { atEnd } from '../testing/at-end.ts'
import { startFaultProxy } from '../testing/fault-proxy.ts'
import { METRICS_HEADERS, METRICS_TOKEN } from '../testing/server-process.ts'
import { testApp } from '../testing/test-app.ts'
import { testPostgresUrl } from '../testing/test-db.ts'
import { rowsOf } from './catalog.ts'
import { openPostgres } from './connect/postgres.ts'
import { isConnectionLost, isOutcomeKnown } from './lost-connection.ts'
import { users } from './schema/accounts.ts'

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Fails if the answer takes longer: without a limit of its own it might never come. */
const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, late) => {
      setTimeout(() => late(new Error(`no answer within ${ms} ms`)), ms).unref()
    }),
  ])

/** A pool of one: a leaked slot fails the very next query. */
async function onProxy(poolSize = 1, limits: { answerMs?: number } = {}) {
  const url = await testPostgresUrl()
  const proxy = await startFaultProxy(inject('postgresUrl'))
  const lost: Error[] = []
  const into = (list: Error[]) => (error: Error) => void list.push(error)
  const onError = into(lost)
  const database = await openPostgres({ url: proxy.through(url), poolSize, onError, ...limits })
  const direct = await openPostgres({ url, poolSize: 2, onError: into([]) })
  atEnd(async () => {
    await database.close()
    await direct.close()
    await proxy.close()
  })
  const says = (word: string) => (bytes: Buffer) => bytes.includes(word)
  /**
   * Ends every other connection to this database, as an administrator or a restart does, and waits
   * until the pool has heard of it: one of its connections has to be open.
   */
  const terminate = async () => {
    const before = lost.length
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(TERMINATE)
    await client.end()
    // No query runs at this moment: a listener handles the loss, or it ends the process.
    await vi.waitFor(() => expect(lost.length).toBeGreaterThan(before))
  }
  return { proxy, database, db: database.db, direct: direct.db, says, terminate }
}

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

describe('a connection to PostgreSQL that is lost', async () => {
  const { proxy, database, db, direct, says, terminate } = await onProxy()
  await db.execute(sql`create table marks (name text primary key)`)
  const marks = async () => {
    const ask = () => rowsOf<{ name: string }>(direct, sql`select name from marks`)
    return (await vi.waitFor(ask)).map(({ name }) => name)
  }
  const works = async () => {
    proxy.judge = undefined
    await vi.waitFor(() => db.execute(sql`select 1`), { timeout: 10_000 })
    await db.transaction((tx) => tx.execute(sql`select 1`))
  }
  afterEach(() => {
    proxy.judge = undefined
    proxy.isRefusing = false
    proxy.isSwallowing = false
  })

  test('between two statements of a transaction stores nothing, and the next transaction works', async () => {
    const failure = await failureOf(
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into marks values ('between')`)
        await terminate()
        await tx.execute(sql`insert into marks values ('after')`)
      }),
    )
    expect([isConnectionLost(failure), isOutcomeKnown(failure)]).toEqual([true, true])
    expect(await marks()).toEqual([])
    await works()
  })

  test('silently fails the waiting query, and the network is used again once it is back', async () => {
    await db.execute(sql`select 1`)
    proxy.isSwallowing = true
    const asked = failureOf(db.execute(sql`select 1`))
    const stored = failureOf(
      db.transaction((tx) => tx.execute(sql`insert into marks values ('silence')`)),
    )
    // Sooner than the longest statement may take: the query was given up, not waited for.
    expect(isConnectionLost(await within(15_000, asked))).toBe(true)
    expect(await within(15_000, stored)).toBeInstanceOf(Error)
    proxy.isSwallowing = false
    await works()
    expect(await marks()).not.toContain('silence')
  })

  test('silently before its first answer fails the query that waits for it', async () => {
    await terminate()
    const isFirst = says('pg_is_in_recovery')
    proxy.judge = (bytes) => {
      proxy.isSwallowing ||= isFirst(bytes)
      return 'pass'
    }
    const failure = await within(15_000, failureOf(db.execute(sql`select 1`)))
    expect(proxy.isSwallowing).toBe(true)
    expect([isConnectionLost(failure), isOutcomeKnown(failure)]).toEqual([true, true])
    proxy.isSwallowing = false
    await works()
  })

  test('is not assumed while a long statement runs, which is waited for', async () => {
    const rows = await rowsOf<{ of: number }>(
      db,
      sql`select 1 as of from (select pg_sleep(6)) as long`,
    )
    expect(rows).toEqual([{ of: 1 }])
  })

  test('with the commit leaves the outcome unknown, and it may be stored', async () => {
    const isCommit = says('commit\0')
    proxy.judge = (bytes) => (isCommit(bytes) ? 'cut-answer' : 'pass')
    const failure = await failureOf(
      db.transaction((tx) => tx.execute(sql`insert into marks values ('commit')`)),
    )
    expect([isConnectionLost(failure), isOutcomeKnown(failure)]).toEqual([true, false])
    expect(await marks()).toEqual(['commit'])
    await works()
  })

  test('with a statement that is its own transaction leaves the outcome unknown, too', async () => {
    const isInsert = says("insert into marks values ('alone')")
    proxy.judge = (bytes) => (isInsert(bytes) ? 'cut-answer' : 'pass')
    const failure = await failureOf(db.execute(sql`insert into marks values ('alone')`))
    expect([isConnectionLost(failure), isOutcomeKnown(failure)]).toEqual([true, false])
    expect(await marks()).toContain('alone')
    await works()
  })

  test('with a read leaves no unknown outcome', async () => {
    const isQuestion = says('select 12345')
    proxy.judge = (bytes) => (isQuestion(bytes) ? 'cut' : 'pass')
    const failure = await failureOf(db.execute(sql`select 12345`))
    expect([isConnectionLost(failure), isOutcomeKnown(failure)]).toEqual([true, true])
    await works()
  })

  test('with the begin of a transaction frees its slot in the pool', async () => {
    const isBegin = says('begin')
    proxy.judge = (bytes) => (isBegin(bytes) ? 'cut' : 'pass')
    const failure = await failureOf(db.transaction(async () => undefined))
    expect([isConnectionLost(failure), isOutcomeKnown(failure)]).toEqual([true, true])
    proxy.judge = undefined
    await works()
  })

  test('while connections are refused is reported, and ends when they are accepted', async () => {
    proxy.isRefusing = true
    proxy.cut()
    const failures = [
      await failureOf(db.execute(sql`insert into marks values ('x')`)),
      await failureOf(db.transaction(async () => undefined)),
    ]
    expect(failures.map(isConnectionLost)).toEqual([true, true])
    proxy.isRefusing = false
    await works()
    expect(await marks()).not.toContain('x')
  })

  test('reopens the listener, which is told that it may have missed something', async () => {
    const heard: string[] = []
    let gaps = 0
    const stop = await database.listen(
      'marks',
      (payload) => {
        heard.push(payload)
        if (payload === 'throw') throw new Error('a listener that throws')
      },
      () => {
        gaps += 1
      },
    )
    expect(gaps).toBe(1)
    for (const breaks of [terminate, async () => proxy.cut()]) {
      const before = gaps
      await breaks()
      await vi.waitFor(() => expect(gaps).toBe(before + 1), { timeout: 15_000 })
      await vi.waitFor(() => direct.execute(sql`select 1`))
      await direct.execute(sql`select pg_notify('marks', 'throw'), pg_notify('marks', 'news')`)
      await vi.waitFor(() => expect(heard.at(-1)).toBe('news'))
    }
    await stop()
  })
})

test('a statement that is not answered in time is given up, although the database works on it', async () => {
  const { db, direct } = await onProxy(1, { answerMs: 3000 })
  const asked = failureOf(db.execute(sql`select pg_sleep(20)`))
  expect(isConnectionLost(await within(15_000, asked))).toBe(true)
  const working = sql`select 1 from pg_stat_activity where query like 'select pg_sleep(20)%'`
  expect(await rowsOf(direct, working)).toHaveLength(1)
  await db.execute(sql`select 1`)
})

describe('a request whose database connection is lost', async () => {
  const { proxy, database, direct, says } = await onProxy(4)
  const t = await testApp({ on: database, env: { METRICS_TOKEN } })
  const admin = t.as(await t.make.admin())
  const user = (name: string) => ({
    method: 'POST' as const,
    url: api.users.create.path,
    payload: {
      ...{ firstName: name, lastName: 'Byron', email: `${name}@example.test` },
      ...{ mobileNumber: '0123456789', password: 'a long enough one', agreedToTerms: true },
    },
  })
  const stored = async (name: string) =>
    (await direct.select().from(users)).filter(({ firstName }) => firstName === name).length
  afterEach(() => {
    proxy.judge = undefined
    proxy.isRefusing = false
  })

  test('is answered 503 with Retry-After, and says if the outcome is unknown', async () => {
    const isCommit = says('commit\0')
    proxy.judge = (bytes) => (isCommit(bytes) ? 'cut-answer' : 'pass')
    const reply = await admin.send(user('Ada'))
    expect([reply.statusCode, reply.json().code]).toEqual([503, 'OUTCOME_UNKNOWN'])
    expect(reply.json().message).toMatch(/not known whether your change was saved/)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(await stored('Ada')).toBe(1)
  })

  test('is answered 503 if nothing can have been stored', async () => {
    const isInsert = says('insert into "users"')
    proxy.judge = (bytes) => (isInsert(bytes) ? 'cut' : 'pass')
    const reply = await admin.send(user('Grace'))
    expect([reply.statusCode, reply.json().code]).toEqual([503, 'UNAVAILABLE'])
    expect(reply.headers['retry-after']).toBeDefined()
    expect(await stored('Grace')).toBe(0)
  })

  test('is reported for reads too, and the process is alive but not ready until the database is back', async () => {
    proxy.isRefusing = true
    proxy.cut()
    const get = (url: string) => admin.send({ method: 'GET', url })
    const list = await get(api.users.list.path)
    expect([list.statusCode, list.json().code]).toEqual([503, 'UNAVAILABLE'])
    expect((await get('/healthz')).statusCode).toBe(200)
    const metrics = await admin.send({ method: 'GET', url: '/metrics', headers: METRICS_HEADERS })
    expect(metrics.statusCode).toBe(200)
    const ready = await get('/readyz')
    expect(ready.statusCode).toBe(503)
    expect(ready.json().checks).toMatchObject({ database: false })
    proxy.isRefusing = false
    await vi.waitFor(async () => {
      expect((await get(api.users.list.path)).statusCode).toBe(200)
    })
  })
})

test('the job queue continues after every connection was lost', async () => {
  const { proxy, database, terminate } = await onProxy(4)
  const t = await testApp({ on: database })
  const done: string[] = []
  const job = defineJob({
    kind: 'mark',
    input: z.object({ name: z.string() }),
    title: ({ name }) => name,
    steps: [{ name: 'only', run: async ({ input }) => void done.push(input.name) }],
  })
  t.deps.jobs.define(job)
  await t.deps.jobs.start()
  const enqueue = (name: string) => t.db.transaction((tx) => t.deps.jobs.enqueue(tx, job, { name }))
  const soon = { timeout: 30_000, interval: 50 }
  await enqueue('before')
  await vi.waitFor(() => expect(done).toContain('before'), soon)
  for (const breaks of [terminate, async () => proxy.cut()]) {
    await breaks()
    const name = `after ${done.length}`
    await vi.waitFor(() => enqueue(name), soon)
    await vi.waitFor(() => expect(done).toContain(name), soon)
  }
  await t.deps.jobs.stop()
})
