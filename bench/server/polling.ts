import { setTimeout as delay } from 'node:timers/promises'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { openPostgres } from '../../src/server/db/connect/postgres.ts'
import { clusters } from '../../src/server/db/schema/infrastructure.ts'
import { createEventBus } from '../../src/server/events/event-bus.ts'
import { createFastify } from '../../src/server/http/server.ts'
import { systemClock } from '../../src/server/lib/clock.ts'
import { systemRandom } from '../../src/server/lib/random.ts'
import { createKeyring } from '../../src/server/secrets/keyring.ts'
import { createSessions } from '../../src/server/sessions/sessions.ts'
import { createFactories } from '../../src/server/testing/factories.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import { removeFolder, signIn, startProduct } from '../../src/server/testing/server-process.ts'
import { addCluster, post } from '../add-cluster.ts'
import { atMost, type Figure } from '../figure.ts'

const CLIENTS = 1000
const MINUTE = 60_000
/** A poll at the edge of a minute may fall on either side of it. */
const CALLS_PER_POLL = 2
const SECRET_KEY = 'a key for the benchmark, long enough'

type Client = { cookie: string; instanceId: number }

/** Whether many clients who look at their servers cost the cluster more than one does. */
export async function measurePolling(): Promise<Figure[]> {
  const sim = await startSim({ seed: 3, nodes: 10, vms: CLIENTS + 10, authDelayMs: 0 })
  const postgres = await startPostgres()
  const server = await startProduct({ DATABASE_URL: postgres.url, SECRET_KEY, DEMO: '1' })
  try {
    const call = await signIn(server.url)
    await addCluster(call, sim)
    await post(call, '/api/sync/proxmox')
    const everybody = await makeClients(postgres.url, sim.port)
    const one = await minuteOf(server.url, everybody.slice(0, 1), sim)
    const all = await minuteOf(server.url, everybody, sim)
    return [
      atMost(
        `Proxmox calls in a minute of ${CLIENTS} clients; of one client: ${one.calls}`,
        all.calls,
        one.calls + CALLS_PER_POLL,
        'calls',
      ),
      atMost(`answers to them other than 200, of ${all.asked}`, all.failed, 0, 'answers'),
    ]
  } finally {
    await server.stop()
    await postgres.stop()
    await sim.close()
    removeFolder(server.dataDir)
  }
}

/** Writes to the tables directly: a thousand sign-ins are a benchmark of their own. */
async function makeClients(url: string, port: number): Promise<Client[]> {
  const database = await openPostgres({ url, onError: (error) => console.error(error) })
  const { log } = createFastify(readConfig({ LOG_LEVEL: 'silent' }))
  const events = await createEventBus(database, log)
  try {
    const { db } = database
    const deps = { db, events, log, clock: systemClock, random: systemRandom }
    const sessions = createSessions(deps)
    const make = createFactories({ ...deps, keyring: createKeyring(SECRET_KEY) })
    const cluster = (await db.select().from(clusters)).find((row) => row.port === port)
    if (!cluster) throw new Error('the cluster is not there')
    const made: Client[] = []
    for (let n = 0; n < CLIENTS; n += 1) {
      const user = await make.client()
      // The first two VMs of the seed are templates.
      const { instance } = await make.owned(cluster, 102 + n, user)
      const { token } = await db.transaction((tx) => sessions.start(tx, user, 'Bench'))
      made.push({ cookie: `hushbox=${token}`, instanceId: instance.id })
    }
    return made
  } finally {
    await events.close()
    await database.close()
  }
}

/** What a client's pages request, and how often. */
const POLLS = (instanceId: number) => [
  { path: '/api/client/instances', everyMs: 15_000 },
  { path: `/api/instances/${instanceId}/status`, everyMs: 15_000 },
  { path: '/api/marketplace/tokens', everyMs: 30_000 },
  { path: '/api/cluster-state', everyMs: 60_000 },
]

/** Every client polls for a minute, each at its own pace. The simulator counts the calls. */
async function minuteOf(url: string, clients: readonly Client[], sim: Sim) {
  const questions = clients.flatMap(({ cookie, instanceId }) =>
    POLLS(instanceId).flatMap(({ path, everyMs }) => {
      const first = Math.random() * everyMs
      const times = Array.from({ length: MINUTE / everyMs }, (_, n) => first + n * everyMs)
      return times.map((at) => ({ at, path, cookie }))
    }),
  )
  questions.sort((a, b) => a.at - b.at)
  let failed = 0
  const ask = async (path: string, cookie: string) => {
    const reply = await fetch(url + path, { headers: { cookie } })
    if (!reply.ok) failed += 1
    await reply.arrayBuffer()
  }
  sim.requests.length = 0
  const started = performance.now()
  const asked: Promise<void>[] = []
  for (const { at, path, cookie } of questions) {
    const wait = at - (performance.now() - started)
    if (wait > 1) await delay(wait)
    asked.push(ask(path, cookie))
  }
  await delay(Math.max(0, MINUTE - (performance.now() - started)))
  // The log keeps a thousand calls; more than that fails the limit by far anyway.
  const calls = sim.requests.length
  await Promise.all(asked)
  return { calls, asked: asked.length, failed }
}
