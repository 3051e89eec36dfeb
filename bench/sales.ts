import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import { startPostgres } from '../src/server/testing/postgres.ts'
import { callAs, inDatabase } from '../src/server/testing/prepare.ts'
import { removeFolder, startProcess } from '../src/server/testing/server-process.ts'
import { atMost, type Figure, median } from './figure.ts'

const TOKENS = 100
const BUYERS = 500
const DELIVERIES = 5
const SAMPLE_MS = 5

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** A shop on PostgreSQL with so much stock and so many people who are signed in. */
async function openShop(sim: Sim, { stock, buyers }: { stock: number; buyers: number }) {
  const postgres = await startPostgres()
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-bench-'))
  const SECRET_KEY = 'a key for the benchmark, long enough'
  const env = { DATABASE_URL: postgres.url, SECRET_KEY, DEMO: '0' }
  const { tokens, people } = await inDatabase(env, dataDir, async ({ cluster, visitor }) => {
    const { token } = await cluster(sim)
    const tokens = await Promise.all(times(stock, () => token()))
    const people: { cookie: string }[] = []
    for (const _ of times(buyers, () => 0)) people.push(await visitor())
    return { tokens, people }
  })
  const server = await startProcess(env, dataDir)
  const callers = people.map(({ cookie }) => callAs(server.url, cookie))
  const call = (buyer: number) => {
    const caller = callers[buyer]
    if (!caller) throw new Error(`there is no buyer ${buyer}`)
    return caller
  }
  return {
    call,
    buy: async (buyer: number, token: number): Promise<number> => {
      const path = `/api/marketplace/purchase/${tokens[token]?.tokenId}`
      const reply = await call(buyer)(path, 'POST')
      await reply.arrayBuffer()
      return reply.status
    },
    async close() {
      await server.stop()
      await postgres.stop()
      await sim.close()
      removeFolder(dataDir)
    },
  }
}

/** Five buyers at each token, all in the same moment. */
async function measureCrowd(): Promise<Figure[]> {
  const sim = await startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0 })
  const shop = await openShop(sim, { stock: TOKENS, buyers: BUYERS })
  try {
    // The first request of a process compiles its queries: not part of the rush.
    await Promise.all(times(20, (n) => shop.call(n)('/api/marketplace/tokens')))
    const started = performance.now()
    const answers = await Promise.all(
      times(BUYERS, async (buyer) => {
        const status = await shop.buy(buyer, buyer % TOKENS)
        return { status, ms: performance.now() - started }
      }),
    )
    const sold = answers.filter(({ status }) => status === 201).length
    const refused = answers.filter(({ status }) => status === 409).length
    if (sold !== TOKENS || sold + refused !== BUYERS) {
      throw new Error(`${sold} were sold and ${refused} refused`)
    }
    const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(BUYERS * 0.99)] ?? Number.NaN
    return [
      atMost(`${BUYERS} buyers at once on ${TOKENS} tokens, p99 to the answer`, p99, 1000, 'ms'),
    ]
  } finally {
    await shop.close()
  }
}

/** Adds up how long the cluster itself was at work: its tasks, and the guest's start. */
function watchTasks(sim: Sim) {
  const began = new Map<string, number>()
  const took = new Map<string, number>()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const { upid, exitstatus } of sim.state.tasks.values()) {
      if (!began.has(upid)) began.set(upid, now)
      if (exitstatus !== null && !took.has(upid)) took.set(upid, now - (began.get(upid) ?? now))
    }
  }, SAMPLE_MS)
  return {
    total: () => [...took.values()].reduce((sum, ms) => sum + ms, 0),
    stop: () => clearInterval(timer),
  }
}

/** One sale after another on a cluster that takes its real time. */
async function measureDelivery(): Promise<Figure[]> {
  const sim = await startSim({ taskMs: 1000, authDelayMs: 0 })
  const shop = await openShop(sim, { stock: DELIVERIES, buyers: DELIVERIES })
  const tasks = watchTasks(sim)
  try {
    const extra: number[] = []
    for (const n of times(DELIVERIES, (index) => index)) {
      const [started, before] = [performance.now(), tasks.total()]
      if ((await shop.buy(n, n)) !== 201) throw new Error('the token was not sold')
      const isAssigned = async () => {
        const reply = await shop.call(n)('/api/client/tokens')
        const own = (await reply.json()) as { status: string }[]
        return own[0]?.status === 'assigned'
      }
      while (!(await isAssigned())) await new Promise((resolve) => setTimeout(resolve, 20))
      extra.push(performance.now() - started - (tasks.total() - before))
    }
    const what = 'from purchase to assigned, beyond the cluster’s own tasks, median'
    return [atMost(what, median(extra), 1000, 'ms')]
  } finally {
    tasks.stop()
    await shop.close()
  }
}

export const measureSales = async (): Promise<Figure[]> => [
  ...(await measureCrowd()),
  ...(await measureDelivery()),
]
