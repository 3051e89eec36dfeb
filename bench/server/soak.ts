import { WebSocket } from 'ws'
import { usingDatabase } from '../../src/server/commands/with-database.ts'
import { migrate } from '../../src/server/db/migrate.ts'
import { viewer } from '../../src/server/features/console/testing/viewer.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import {
  METRICS_HEADERS,
  removeFolder,
  signIn,
  startProduct,
} from '../../src/server/testing/server-process.ts'
import { startTestSim, storeSimCluster } from '../../src/server/testing/with-sim.ts'
import { atMost, type Figure, median } from '../figure.ts'

/** R12: ten minutes in the long run. SOAK_MINUTES overrides it. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? (process.env.LONG === '1' ? 10 : 1))
/**
 * The memory of a freshly started process grows for a while; before this its slope means nothing.
 */
const GROWTH_MINUTES = 5
const EVERY_MS = 20
const STREAMS = 20
const STREAMS_PER_PERSON = 10
const CONSOLES = 5
const LOOK_MS = 5000
const SECRET_KEY = 'a key for the soak, long enough for it'

type Call = Awaited<ReturnType<typeof signIn>>
type Sample = { minute: number; rss: number; descriptors: number; loopP99: number }

/** What pages request all day: many reads, some writes, an occasional sign-in. */
function requestsOf(admin: Call, client: Call, url: string, userId: number) {
  const rename = (n: number) => ({
    method: 'PATCH',
    body: JSON.stringify({ firstName: `Name ${n}` }),
  })
  return [
    () => client('/api/auth/me'),
    () => client('/api/client/tokens'),
    () => client('/api/client/instances'),
    () => client('/api/marketplace/tokens'),
    () => admin('/api/instances'),
    () => admin('/api/nodes'),
    () => admin('/api/tokens'),
    () => fetch(`${url}/api/packages/public`),
    () => fetch(`${url}/`),
    (n: number) => admin(`/api/admin/users/${userId}`, rename(n)),
  ]
}

async function openStream(call: Call): Promise<() => void> {
  const stop = new AbortController()
  const reply = await call('/api/events', { signal: stop.signal })
  const read = async () => {
    for await (const _ of reply.body ?? []);
  }
  read().catch((error: unknown) => {
    // The stream ends because the soak stopped it; any other end is a finding.
    if (!stop.signal.aborted) process.emitWarning(error as Error)
  })
  return () => stop.abort()
}

async function openConsole(call: Call, url: string, id: number): Promise<() => void> {
  const { ticket } = (await (
    await call(`/api/instances/${id}/console`, { method: 'POST', body: '{}' })
  ).json()) as {
    ticket: string
  }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/console`, {
    headers: { cookie: call.cookie },
  })
  socket.once('open', () => socket.send(ticket))
  const screen = await viewer(socket)
  if (screen.outcome !== 'open') throw new Error(`the console closed with ${screen.code}`)
  let isLooking = true
  const look = async () => {
    while (isLooking) {
      await screen.picture()
      await new Promise((again) => setTimeout(again, 1000))
    }
  }
  look().catch((error: unknown) => {
    if (isLooking) process.emitWarning(error as Error)
  })
  return () => {
    isLooking = false
    screen.close()
  }
}

/** prom-client resets the event loop's delay at each scrape. */
async function sample(url: string, started: number): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`, { headers: METRICS_HEADERS })).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    minute: (performance.now() - started) / 60_000,
    rss: read('process_resident_memory_bytes') / 1024 / 1024,
    descriptors: read('process_open_fds'),
    loopP99: read('nodejs_eventloop_lag_p99_seconds') * 1000,
  }
}

/** By least squares over everything after the first third, which is warm-up. */
function slope(samples: Sample[], of: 'rss' | 'descriptors'): number {
  const warm = samples.slice(Math.floor(samples.length / 3))
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
  const [x, y] = [mean(warm.map(({ minute }) => minute)), mean(warm.map((one) => one[of]))]
  const over = warm.reduce((sum, one) => sum + (one.minute - x) * (one[of] - y), 0)
  const under = warm.reduce((sum, one) => sum + (one.minute - x) ** 2, 0)
  return under === 0 ? 0 : over / under
}

async function prepare(
  url: string,
  admin: Call,
): Promise<{ people: Call[]; userId: number; vms: number[] }> {
  const people: Call[] = []
  let userId = 0
  for (let n = 0; n < STREAMS / STREAMS_PER_PERSON; n += 1) {
    const made = (await (
      await admin('/api/users', {
        method: 'POST',
        body: JSON.stringify({ email: `soak${n}@example.test` }),
      })
    ).json()) as { id: number; username: string; generatedPassword: string }
    userId = made.id
    people.push(await signIn(url, { email: made.username, password: made.generatedPassword }))
  }
  for (;;) {
    const rows = (await (await admin('/api/instances')).json()) as { id: number; status: string }[]
    const vms = rows.filter(({ status }) => status === 'running').map(({ id }) => id)
    if (vms.length > 0) return { people, userId, vms }
    await new Promise((again) => setTimeout(again, 250))
  }
}

/** One person may open only a few consoles. */
async function secondAdmin(url: string, admin: Call): Promise<Call> {
  const person = {
    email: `second-${Math.random()}@example.test`,
    password: 'a password for the soak',
  }
  const names = { firstName: 'Second', lastName: 'Admin', mobileNumber: '+43 1 5550100' }
  const body = JSON.stringify({ ...person, ...names, role: 'admin', agreedToTerms: true })
  await admin('/api/admin/users', { method: 'POST', body })
  return await signIn(url, person)
}

export async function measureSoak(): Promise<Figure[]> {
  const postgres = await startPostgres()
  const sim = await startTestSim({ lagMs: 1000 })
  await usingDatabase({ databaseUrl: postgres.url, dataDir: '' }, async (database) => {
    await migrate(database)
    await storeSimCluster(database.db, sim, SECRET_KEY)
  })
  const server = await startProduct({ DATABASE_URL: postgres.url, SECRET_KEY })
  const closers: (() => void)[] = []
  try {
    const admin = await signIn(server.url)
    const { people, userId, vms } = await prepare(server.url, admin)
    for (let n = 0; n < STREAMS; n += 1) {
      closers.push(await openStream(people[n % people.length] ?? admin))
    }
    for (let n = 0; n < CONSOLES; n += 1) {
      const who = n % 2 === 0 ? admin : await secondAdmin(server.url, admin)
      closers.push(await openConsole(who, server.url, vms[n % vms.length] ?? 0))
    }
    const requests = requestsOf(admin, people[0] ?? admin, server.url, userId)
    const figures = await soak(server.url, requests)
    const rejections = server.output().match(/unhandled/gi)?.length ?? 0
    return [...figures, atMost('soak: unhandled rejections', rejections, 0, '')]
  } finally {
    for (const close of closers) close()
    await server.stop()
    await sim.close()
    await postgres.stop()
    removeFolder(server.dataDir)
  }
}

async function soak(
  url: string,
  requests: ((n: number) => Promise<Response>)[],
): Promise<Figure[]> {
  const started = performance.now()
  const samples: Sample[] = []
  const delays: number[] = []
  const underWay = new Set<Promise<void>>()
  let failed = 0
  let sent = 0
  const ask = async (n: number) => {
    const at = performance.now()
    const reply = await requests[n % requests.length]?.(n)
    await reply?.arrayBuffer()
    if (!reply?.ok) failed += 1
    delays.push(performance.now() - at)
  }
  let nextLook = LOOK_MS
  while (performance.now() - started < MINUTES * 60_000) {
    // Paced by the clock, not by the last answer: a slow server does not get fewer requests.
    const due = Math.floor((performance.now() - started) / EVERY_MS)
    for (; sent < due; sent += 1) {
      const one: Promise<void> = ask(sent)
        .catch(() => {
          failed += 1
        })
        .finally(() => underWay.delete(one))
      underWay.add(one)
    }
    if (performance.now() - started >= nextLook) {
      nextLook += LOOK_MS
      samples.push(await sample(url, started))
    }
    await new Promise((again) => setTimeout(again, EVERY_MS))
  }
  await Promise.all(underWay)
  const p95 = delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.95)] ?? Number.NaN
  const what = `soak, ${MINUTES} min at ${Math.round(sent / MINUTES / 60)}/s, ${STREAMS} streams, ${CONSOLES} consoles`
  return [
    atMost(`${what}: failed of ${sent}`, failed, 0, ''),
    ...(MINUTES < GROWTH_MINUTES
      ? []
      : [atMost(`${what}: memory`, slope(samples, 'rss'), 1, 'MB/min')]),
    atMost(`${what}: descriptors`, slope(samples, 'descriptors'), 1, '/min'),
    atMost(`${what}: event loop p99`, median(samples.map(({ loopP99 }) => loopP99)), 50, 'ms'),
    atMost(`${what}: answers p95`, p95, 250, 'ms'),
  ]
}
