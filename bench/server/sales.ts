import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BOOT_SECONDS } from '#pve-sim/guest/guest.ts'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import { callAs, inDatabase } from '../../src/server/testing/prepare.ts'
import { removeFolder, startProduct } from '../../src/server/testing/server-process.ts'
import { atMost, type Figure, median } from '../figure.ts'

const TOKENS = 100
const BUYERS = 500
/** Sold one by one before the rush. */
const EARLIER = 40
const DELIVERIES = 5
const SAMPLE_MS = 5
/** About as slow as a real cluster. */
const TASK_MS = 1000

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** A shop on PostgreSQL with this much stock and this many signed-in buyers. */
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
  const server = await startProduct(env, dataDir)
  const callers = people.map(({ cookie }) => callAs(server.url, cookie))
  const call = (buyer: number) => {
    const caller = callers[buyer]
    if (!caller) throw new Error(`there is no buyer ${buyer}`)
    return caller
  }
  const shop = {
    buy: async (buyer: number, token: number): Promise<number> => {
      const path = `/api/marketplace/purchase/${tokens[token]?.tokenId}`
      const reply = await call(buyer)(path, 'POST')
      await reply.arrayBuffer()
      return reply.status
    },
    /** One sale, until the server is delivered. */
    async sell(n: number): Promise<void> {
      if ((await shop.buy(n, n)) !== 201) throw new Error('the token was not sold')
      while (!(await shop.isAssigned(n))) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    async look(buyer: number): Promise<void> {
      await (await call(buyer)('/api/auth/me')).arrayBuffer()
    },
    async isAssigned(buyer: number): Promise<boolean> {
      const reply = await call(buyer)('/api/client/tokens')
      const own = (await reply.json()) as { status: string }[]
      return own[0]?.status === 'assigned'
    },
    async close() {
      await server.stop()
      await postgres.stop()
      await sim.close()
      removeFolder(dataDir)
    },
  }
  return shop
}

/** Five buyers per token, all at the same moment. */
async function measureCrowd(): Promise<Figure[]> {
  const sim = await startSim({ taskMs: 5, authDelayMs: 0, lagMs: 0 })
  const shop = await openShop(sim, { stock: TOKENS + EARLIER, buyers: BUYERS + EARLIER })
  try {
    // Sells before measuring: the first sales of a process compile its code.
    for (const n of times(EARLIER, (index) => index)) await shop.sell(n)
    // A buyer has the page open, and with it a connection.
    await Promise.all(times(BUYERS, (n) => shop.look(EARLIER + n)))
    const started = performance.now()
    const answers = await Promise.all(
      times(BUYERS, async (n) => {
        const status = await shop.buy(EARLIER + n, EARLIER + (n % TOKENS))
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

/** Adds up how long the cluster itself was busy: its tasks, then the start of the guest. */
function watchTasks(sim: Sim) {
  const began = new Map<string, number>()
  const ended = new Map<string, number>()
  const timer = setInterval(() => {
    for (const { upid, exitstatus } of sim.state.tasks.values()) {
      if (!began.has(upid)) began.set(upid, Date.now())
      if (exitstatus !== null && !ended.has(upid)) ended.set(upid, Date.now())
    }
  }, SAMPLE_MS)
  const tasksSince = (moment: number) => {
    const own = [...ended].filter(([upid]) => (began.get(upid) ?? 0) >= moment)
    return own.map(([upid, end]) => ({ end, ms: end - (began.get(upid) ?? end) }))
  }
  return {
    /** Since the given moment, in milliseconds. */
    ownTime(moment: number): number {
      const tasks = tasksSince(moment)
      const lastEnd = Math.max(moment, ...tasks.map(({ end }) => end))
      const started = Math.max(...[...sim.state.vms.values()].map(({ startedAt }) => startedAt))
      const boot = Math.max(0, started + BOOT_SECONDS * TASK_MS - lastEnd)
      return tasks.reduce((sum, { ms }) => sum + ms, boot)
    },
    stop: () => clearInterval(timer),
  }
}

/** One sale after another on a cluster with realistic delays. */
async function measureDelivery(): Promise<Figure[]> {
  const sim = await startSim({ taskMs: TASK_MS, authDelayMs: 0 })
  const shop = await openShop(sim, { stock: DELIVERIES, buyers: DELIVERIES })
  const cluster = watchTasks(sim)
  try {
    const extra: number[] = []
    for (const n of times(DELIVERIES, (index) => index)) {
      const started = Date.now()
      await shop.sell(n)
      extra.push(Date.now() - started - cluster.ownTime(started))
    }
    const what = 'from purchase to assigned, beyond the cluster’s own time, median'
    return [atMost(what, median(extra), 1000, 'ms')]
  } finally {
    cluster.stop()
    await shop.close()
  }
}

export const measureSales = async (): Promise<Figure[]> => [
  ...(await measureCrowd()),
  ...(await measureDelivery()),
]
