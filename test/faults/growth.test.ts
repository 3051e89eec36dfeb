import { count, eq } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { usingDatabase } from '../../src/server/commands/with-database.ts'
import { users } from '../../src/server/db/schema/accounts.ts'
import { jobs } from '../../src/server/db/schema/work.ts'
import { viewer } from '../../src/server/features/console/testing/viewer.ts'
import { startRoundRobin } from '../../src/server/testing/round-robin.ts'
import { signIn, startProcess } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { startTestSim, storeSimCluster } from '../../src/server/testing/with-sim.ts'

const SECRET_KEY = 'a key for many processes, long enough'
const PROCESSES = process.env.LONG === '1' ? [2, 4] : [2]
const SERVERS = 4
const AT_ONCE = 8
const PATIENT = { timeout: 90_000, interval: 250 }

type Call = Awaited<ReturnType<typeof signIn>>
type Row = { id: number; vmId: number; status: string; nodeId: number; ownerId: number | null }

/** A database that contains the simulated cluster before any process reads it. */
async function preparedDatabase() {
  // Slow enough that a process can be killed in the middle of its work.
  const sim = await startTestSim({ taskMs: 300 })
  const url = await testPostgresUrl()
  await usingDatabase({ databaseUrl: url, dataDir: '' }, ({ db }) =>
    storeSimCluster(db, sim, SECRET_KEY),
  )
  return { sim, url, env: { DATABASE_URL: url, SECRET_KEY } }
}

const json = async <T>(reply: Response | Promise<Response>): Promise<T> => (await reply).json() as T

async function until<T>(read: () => Promise<T[]>): Promise<T[]> {
  return await vi.waitFor(async () => {
    const rows = await read()
    expect(rows.length).toBeGreaterThan(0)
    return rows
  }, PATIENT)
}

const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })

async function newClient(call: Call, n: number | string): Promise<number> {
  const made = await json<{ id?: number }>(
    call('/api/users', post({ email: `c${n}@example.test` })),
  )
  const all = await json<{ id: number; email: string }[]>(call('/api/admin/users'))
  return made.id ?? all.find(({ email }) => email === `c${n}@example.test`)?.id ?? 0
}

/** Orders a server for a client; a job on any of the processes creates it. */
async function order(call: Call, n: number, clientUserId: number): Promise<void> {
  const [template] = await json<Row[]>(call('/api/templates'))
  const token = await json<Row>(
    call(
      '/api/tokens',
      post({
        name: '1 CPU 1 GB RAM 25 GB SSD',
        tokenType: 'ip_mac',
        nodeId: template?.nodeId,
        templateId: template?.id,
        ipAddress: `203.0.113.${100 + n}`,
        username: 'debian',
        password: 'a password',
        osType: 'Debian 12',
      }),
    ),
  )
  const made = await call(
    '/api/instances',
    post({ tokenId: token.id, name: `grown-${n}`, clientUserId }),
  )
  expect(made.status).toBe(201)
}

describe.each(PROCESSES)('%i processes behind a proxy on one PostgreSQL', async (size) => {
  const { sim, url, env } = await preparedDatabase()
  const servers = [await startProcess({ ...env, RATE_LIMIT_SCALE: '50' })]
  for (let n = 1; n < size; n += 1) {
    servers.push(await startProcess({ ...env, RATE_LIMIT_SCALE: '50' }))
  }
  const proxy = await startRoundRobin(servers.map((server) => server.url))
  afterAll(async () => {
    await proxy.close()
    await sim.close()
  })
  const call = await signIn(proxy.url)
  await until(() => json<Row[]>(call('/api/templates')))

  test('a session is valid on all of them, and they share the requests', async () => {
    const before = [...proxy.answered]
    for (let n = 0; n < size * 3; n += 1) expect((await call('/api/auth/me')).status).toBe(200)
    expect(proxy.answered.map((answered, at) => answered - (before[at] ?? 0))).toEqual(
      servers.map(() => 3),
    )
  })

  test('a ticket issued by one opens the console on another, once', async () => {
    const instances = await until(async () =>
      (await json<Row[]>(call('/api/instances'))).filter(({ status }) => status === 'running'),
    )
    const id = instances[0]?.id
    const cookie = call.cookie
    for (const [at, server] of servers.entries()) {
      const giver = servers[(at + 1) % size]?.url ?? ''
      const { ticket } = await json<{ ticket: string }>(
        fetch(`${giver}/api/instances/${id}/console`, { method: 'POST', headers: { cookie } }),
      )
      const open = async () => {
        const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/console`, {
          headers: { cookie },
        })
        socket.once('open', () => socket.send(ticket))
        return await viewer(socket)
      }
      const screen = await open()
      expect(screen.outcome).toBe('open')
      screen.close()
      expect((await open()).outcome).toBe('closed')
    }
  })

  test('one is killed under load: only its current requests are lost, and no job', async () => {
    const client = await newClient(call, 'owner')
    for (let n = 0; n < SERVERS; n += 1) await order(call, n, client)
    const results = { made: 0, lost: 0 }
    let isOver = false
    const load = async (lane: number) => {
      for (let n = 0; !isOver; n += 1) {
        const reply = await call('/api/users', post({ email: `l${lane}-${n}@example.test` }))
        if (reply.status === 201) results.made += 1
        else results.lost += 1
      }
    }
    const loads = Array.from({ length: AT_ONCE }, (_, lane) => load(lane))
    await vi.waitFor(() => expect(results.made).toBeGreaterThan(20), PATIENT)
    await servers[0]?.kill()
    const { made } = results
    await vi.waitFor(() => expect(results.made).toBeGreaterThan(made + 20), PATIENT)
    isOver = true
    await Promise.all(loads)
    // Only requests of the killed process are lost: before it is gone a lane may have sent its
    // next.
    const [killed, ...others] = proxy.lost
    expect(others.every((lost) => lost === 0)).toBe(true)
    expect(results.lost).toBe(killed)
    expect(results.lost).toBeLessThanOrEqual(2 * AT_ONCE)

    // Every job succeeds on one of the others, and created its server once.
    await usingDatabase({ databaseUrl: url, dataDir: '' }, async ({ db }) => {
      await vi.waitFor(async () => {
        const [done] = await db.select({ of: count() }).from(jobs).where(eq(jobs.state, 'done'))
        expect(done?.of).toBe(SERVERS)
      }, PATIENT)
      const [stored] = await db.select({ of: count() }).from(users)
      expect(stored?.of).toBeGreaterThanOrEqual(results.made + 2)
      expect(stored?.of).toBeLessThanOrEqual(results.made + results.lost + 2)
    })
    const grown = [...sim.state.vms.values()].filter(({ config }) =>
      String(config.name).startsWith('grown-'),
    )
    // The VM id at the end makes each name unique in the cluster.
    expect(grown.map(({ config }) => config.name?.replace(/-\d+$/, '')).sort()).toEqual(
      Array.from({ length: SERVERS }, (_, n) => `grown-${n}`),
    )
    for (const server of servers.slice(1)) expect(await server.stop()).toBe(0)
  })
})

test('password guesses are counted over all processes', async () => {
  const env = { DATABASE_URL: await testPostgresUrl(), SECRET_KEY, RATE_LIMIT_SCALE: '1' }
  const servers = [await startProcess(env), await startProcess(env)]
  const proxy = await startRoundRobin(servers.map((server) => server.url))
  const guess = async (username: string) => {
    const body = JSON.stringify({ username, password: 'a guess' })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${proxy.url}/api/auth/login`, { method: 'POST', headers, body })).status
  }
  const atOne: number[] = []
  for (let n = 0; n < 10; n += 1) atOne.push(await guess('1234567'))
  expect(atOne).toEqual([...Array.from({ length: 8 }, () => 401), 429, 429])
  const names = Array.from({ length: 60 }, (_, n) => String(2_000_000 + n))
  const atMany = await Promise.all(names.map(guess))
  // Sixty a minute from one address, of which ten are used.
  expect(atMany.filter((status) => status === 401)).toHaveLength(50)
  expect(atMany.filter((status) => status === 429)).toHaveLength(10)
  expect(proxy.answered.map((answered) => answered > 10)).toEqual([true, true])
  await proxy.close()
  for (const server of servers) expect(await server.stop()).toBe(0)
})

test('MODE=web takes orders and runs no job; MODE=worker runs it and serves nothing else', async () => {
  const { sim, url, env } = await preparedDatabase()
  const web = await startProcess({ ...env, MODE: 'web' })
  const call = await signIn(web.url)
  await until(() => json<Row[]>(call('/api/templates')))
  await order(call, 1, await newClient(call, 'owner'))
  // Ready to serve, although no process that runs jobs has ever reported.
  const ready = await fetch(`${web.url}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({ checks: { jobs: false } })
  const waiting = await json<{ state: string }[]>(call('/api/jobs'))
  expect(waiting.map(({ state }) => state)).toEqual(['queued'])

  const worker = await startProcess({ ...env, MODE: 'worker' })
  await vi.waitFor(
    async () => expect((await fetch(`${worker.url}/readyz`)).status).toBe(200),
    PATIENT,
  )
  for (const path of ['/', '/api/settings', '/api/auth/me', '/login']) {
    expect((await fetch(`${worker.url}${path}`)).status).toBe(404)
  }
  await usingDatabase({ databaseUrl: url, dataDir: '' }, async ({ db }) => {
    await vi.waitFor(async () => {
      const rows = await db.select().from(jobs)
      expect(rows.map(({ state }) => state)).toEqual(['done'])
    }, PATIENT)
  })
  expect(await web.stop()).toBe(0)
  expect(await worker.stop()).toBe(0)
  await sim.close()
})
