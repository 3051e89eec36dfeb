import { count, eq } from 'drizzle-orm'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { orders, payments } from '../../src/server/db/schema/sales.ts'
import { instances } from '../../src/server/db/schema/stock.ts'
import { jobs } from '../../src/server/db/schema/work.ts'
import { callAs, inDatabase } from '../../src/server/testing/prepare.ts'
import { newDataDir, removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { startTestSim } from '../../src/server/testing/with-sim.ts'

const SECRET_KEY = 'a key for the races, long enough'
const IS_LONG = process.env.LONG === '1'
/** Rounds of each kind. */
const ROUNDS = IS_LONG ? 67 : 4
const CROWDS = [2, 10, 50, 200]
const FREE_OF_ONE = 20

const range = (length: number) => Array.from({ length }, (_, index) => index)

const databases: [string, number, () => Promise<Record<string, string>>][] = [
  ['one process on the embedded database', 1, async () => ({ SECRET_KEY })],
  [
    'two processes on one PostgreSQL',
    2,
    async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY }),
  ],
]

describe.each(databases)('one winner, %s', async (_, processes, environment) => {
  const env = { ...(await environment()), DEMO: '0' }
  const dataDir = await newDataDir(env)
  // One VM in five is switched off.
  const sim = await startTestSim({ seed: 1, nodes: 2, vms: 10 + 2 * ROUNDS })
  const vmsBefore = sim.state.vms.size
  const stock = await inDatabase(env, dataDir, async (inside) => {
    const { token, ready } = await inside.cluster(sim)
    const make = (rounds: number, values = {}) =>
      Promise.all(range(rounds).map(() => token(values)))
    const free = { monthlyPriceCents: 0 }
    const people: Awaited<ReturnType<typeof inside.visitor>>[] = []
    for (const _index of range(200 + ROUNDS)) people.push(await inside.visitor())
    return {
      purchase: await make(ROUNDS),
      trial: await make(ROUNDS, free),
      deploy: await ready(ROUNDS),
      ofOne: await make(FREE_OF_ONE, free),
      people,
    }
  })
  const servers = await Promise.all(range(processes).map(() => startProcess(env, dataDir)))
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await sim.close()
    removeFolder(dataDir)
  })

  const claim = async (kind: 'purchase' | 'trial', tokenId: string, cookie: string, at: number) => {
    const { url } = servers[at % servers.length] ?? { url: '' }
    const reply = await callAs(url, cookie)(`/api/marketplace/${kind}/${tokenId}`, 'POST')
    const { code = '' } = (await reply.json()) as { code?: string }
    return `${reply.status} ${code}`.trim()
  }

  const tally = (answers: readonly string[]) => {
    const counts: Record<string, number> = {}
    for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1
    return counts
  }

  /** Crowds of every size compete for one token after another. A winner does not compete again. */
  const race = async (kind: 'purchase' | 'trial', tokens: readonly { tokenId: string }[]) => {
    const waiting = [...stock.people]
    for (const [round, { tokenId }] of tokens.entries()) {
      const crowd = waiting.slice(0, CROWDS[round % CROWDS.length])
      const answers = await Promise.all(
        crowd.map(({ cookie }, at) => claim(kind, tokenId, cookie, at)),
      )
      expect(tally(answers)).toEqual({ 201: 1, '409 TOKEN_TAKEN': crowd.length - 1 })
      waiting.splice(answers.indexOf('201'), 1)
    }
  }

  const LIMIT = { timeout: 900_000 }

  test(`${ROUNDS} purchases have one winner each`, LIMIT, () => race('purchase', stock.purchase))
  test(`${ROUNDS} trials have one winner each`, LIMIT, () => race('trial', stock.trial))
  test(`${ROUNDS} instant deploys have one winner each`, LIMIT, () =>
    race('purchase', stock.deploy),
  )

  test('one account that requests many trials at once gets one', LIMIT, async () => {
    // The last person of every crowd has not won a trial.
    const cookie = stock.people.at(-1)?.cookie ?? ''
    const answers = await Promise.all(
      stock.ofOne.map(({ tokenId }, at) => claim('trial', tokenId, cookie, at)),
    )
    expect(tally(answers)).toEqual({ 201: 1, '409 TRIAL_USED': FREE_OF_ONE - 1 })
  })

  test('every winner has a VM with its own id, paid once', LIMIT, async () => {
    const made = 2 * ROUNDS + 1
    await vi.waitFor(
      () => {
        const ours = [...sim.state.vms.values()].filter(({ qmp, config }) => {
          return qmp === 'running' && config.description?.includes('hushbox:')
        })
        expect(ours).toHaveLength(made)
      },
      { timeout: 600_000, interval: 500 },
    )
    await vi.waitFor(
      async () => {
        const replies = await Promise.all(
          stock.people.map(({ cookie }, at) =>
            callAs(servers[at % servers.length]?.url ?? '', cookie)('/api/client/tokens'),
          ),
        )
        const own = (await Promise.all(replies.map((reply) => reply.json()))) as {
          status: string
          job: object | null
        }[][]
        expect(own.flat().filter(({ status, job }) => status === 'assigned' && !job)).toHaveLength(
          made + ROUNDS,
        )
      },
      { timeout: 600_000, interval: 2000 },
    )
    await Promise.all(servers.map((server) => server.stop()))
    const left = await inDatabase(env, dataDir, async ({ db }) => ({
      active: await db.select({ of: count() }).from(orders).where(eq(orders.status, 'active')),
      all: await db.select({ of: count() }).from(orders),
      paid: await db.select({ of: count() }).from(payments),
      done: await db.select({ of: count() }).from(jobs).where(eq(jobs.state, 'done')),
      vms: await db.select({ vmId: instances.vmId, marker: instances.marker }).from(instances),
    }))
    const sold = made + ROUNDS
    expect(left.active).toEqual([{ of: sold }])
    expect(left.all).toEqual([{ of: sold }])
    expect(left.paid).toEqual([{ of: 2 * ROUNDS }])
    expect(left.done).toEqual([{ of: sold }])
    const ids = left.vms.filter(({ marker }) => marker !== null).map(({ vmId }) => vmId)
    expect(new Set(ids).size).toBe(made)
    expect(sim.state.vms.size).toBe(vmsBefore + made)
  })
})
