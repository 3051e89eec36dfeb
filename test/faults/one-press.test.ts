import { setTimeout as pause } from 'node:timers/promises'
import { count, eq, like } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { users } from '../../src/server/db/schema/accounts.ts'
import { idempotencyKeys } from '../../src/server/db/schema/idempotency.ts'
import { clusters } from '../../src/server/db/schema/infrastructure.ts'
import { orders, payments } from '../../src/server/db/schema/sales.ts'
import { instances, tokens } from '../../src/server/db/schema/stock.ts'
import { statement } from '../../src/server/ledger/statement.ts'
import { atEnd } from '../../src/server/testing/at-end.ts'
import { inDatabase, type Prepared } from '../../src/server/testing/prepare.ts'
import {
  newDataDir,
  removeFolder,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { startTestSim } from '../../src/server/testing/with-sim.ts'
import { DAY_MS } from '../../src/shared/rules/time/durations.ts'

const SECRET_KEY = 'a key for the presses, long enough'
const IS_LONG = process.env.LONG === '1' || process.env.FAULTS === '1'
const AT_ONCE = 16
const PRICE = 500
/** A request whose process was killed is taken over after half a minute. */
const TIMEOUT_MS = 60_000

const databases: [string, number, number, () => Promise<Record<string, string>>][] = [
  ['one process on the embedded database', 1, IS_LONG ? 200 : 40, async () => ({ SECRET_KEY })],
  [
    'two processes on one PostgreSQL, one of them killed',
    2,
    IS_LONG ? 1000 : 120,
    async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY }),
  ],
]

type Press = { kind: 'renew' | 'buy' | 'create'; path: string; cookie: string; body?: object }

/** The same sequence in every run: mulberry32. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

describe.each(databases)(
  'one press is one effect, %s',
  async (_, processes, amount, environment) => {
    const env = { ...(await environment()), DEMO: '0' }
    const dataDir = await newDataDir(env)
    const sim = await startTestSim({ seed: 2, nodes: 2, vms: 4 })
    const random = randomFrom(amount)
    const purchases = Math.max(4, Math.floor(amount / 50))
    const presses = await inDatabase(env, dataDir, (inside) => prepare(inside))
    const servers = await Promise.all(
      Array.from({ length: processes }, () => startProcess(env, dataDir)),
    )
    const admin = await signIn(servers[0]?.url ?? '')
    for (const press of presses) if (press.kind === 'create') press.cookie = admin.cookie
    atEnd(async () => {
      await Promise.all(servers.map((server) => server.stop()))
      await sim.close()
      removeFolder(dataDir)
    })

    /** A third renews, a third creates, some buy; all at random moments. */
    async function prepare(inside: Prepared): Promise<Press[]> {
      const { token } = await inside.cluster(sim)
      const [{ id: clusterId } = { id: 0 }] = await inside.db.select().from(clusters)
      const made: Press[] = []
      for (let index = 0; index < amount; index += 1) {
        if (index < purchases) {
          const { cookie } = await inside.visitor()
          const { tokenId } = await token()
          made.push({ kind: 'buy', path: `/api/marketplace/purchase/${tokenId}`, cookie })
        } else if (index % 2 === 0) {
          const body = { email: `pressed-${index}@example.test` }
          made.push({ kind: 'create', path: '/api/users', cookie: '', body })
        } else {
          const { user, cookie } = await inside.visitor()
          const [vm] = await inside.db
            .insert(instances)
            .values({ clusterId, vmId: 700_000 + index, name: 'vm', status: 'running' })
            .returning()
          const { id } = await inside.make.token({
            status: 'assigned',
            assignedUserId: user.id,
            assignedInstanceId: vm?.id ?? 0,
            assignedAt: new Date(),
            expiresAt: new Date(Date.now() + DAY_MS),
            durationDays: 30,
            monthlyPriceCents: PRICE,
          })
          made.push({ kind: 'renew', path: `/api/client/tokens/${id}/renew`, cookie })
        }
      }
      return made
    }

    const send = async (
      { path, cookie, body }: Press,
      key: string,
      at: number,
      cutAfter?: number,
    ) => {
      const { url } = servers[at % servers.length] ?? { url: '' }
      const reply = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          cookie,
          'idempotency-key': key,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(cutAfter !== undefined && { signal: AbortSignal.timeout(cutAfter) }),
      })
      return { status: reply.status, text: await reply.text() }
    }

    /** What the page does without an answer: the same key again, until there is one. */
    const untilAnswered = async (press: Press, key: string): Promise<string> => {
      const until = Date.now() + TIMEOUT_MS
      for (let at = random(2); ; at += 1) {
        const answer = await send(press, key, at).catch(() => undefined)
        if (answer?.status === 201) return answer.text
        const mayWait = !answer || answer.text.includes('IN_FLIGHT') || answer.status >= 500
        if (!mayWait || Date.now() > until) throw new Error(`${press.path}: ${answer?.text}`)
        await pause(100)
      }
    }

    /** Two or three presses at nearly the same time; some connections are cut. */
    const pressTwice = async (press: Press, index: number): Promise<void> => {
      const key = `press ${index}`
      const tries = Array.from({ length: 2 + random(2) }, async (__, at) => {
        await pause(random(30))
        const cutAfter = random(3) === 0 ? random(60) : undefined
        return await send(press, key, at + index, cutAfter).catch(() => undefined)
      })
      const answers = await Promise.all(tries)
      const last = await untilAnswered(press, key)
      for (const answer of answers) {
        if (answer?.status === 201) expect(answer.text).toBe(last)
        else if (answer && answer.status < 500) expect(answer.text).toContain('IN_FLIGHT')
      }
    }

    const LIMIT = { timeout: 1_800_000 }

    test(
      `${amount} double presses are each answered in the end, all with one answer`,
      LIMIT,
      async () => {
        const queue = presses.entries()
        let done = 0
        const lane = async () => {
          for (const [index, press] of queue) {
            await pressTwice(press, index)
            done += 1
          }
        }
        const lanes = Array.from({ length: AT_ONCE }, lane)
        if (processes > 1) {
          await vi.waitUntil(() => done > amount / 2, { timeout: 900_000, interval: 20 })
          await servers[1]?.kill()
          servers[1] = await startProcess(env, dataDir)
        }
        await Promise.all(lanes)
        expect(done).toBe(amount)
      },
    )

    test('money, servers and accounts exist once each', LIMIT, async () => {
      const kinds = (kind: Press['kind']) => presses.filter((press) => press.kind === kind).length
      await vi.waitFor(
        () => {
          const ours = [...sim.state.vms.values()].filter(
            ({ qmp, config }) => qmp === 'running' && config.description?.includes('hushbox:'),
          )
          expect(ours).toHaveLength(purchases)
        },
        { timeout: 600_000, interval: 500 },
      )
      await Promise.all(servers.map((server) => server.stop()))
      await inDatabase(env, dataDir, async ({ db }) => {
        const renewed = await db.select().from(orders).where(eq(orders.kind, 'renewal'))
        expect(renewed).toHaveLength(kinds('renew'))
        expect(new Set(renewed.map(({ tokenId }) => tokenId)).size).toBe(kinds('renew'))
        const bought = await db.select().from(orders).where(eq(orders.kind, 'purchase'))
        expect(bought).toHaveLength(purchases)
        const paid = kinds('renew') + purchases
        expect(await db.select({ of: count() }).from(payments)).toEqual([{ of: paid }])
        expect(await statement(db)).toMatchObject({ isBalanced: true, received: paid * PRICE })
        const [{ of: created } = { of: 0 }] = await db
          .select({ of: count() })
          .from(users)
          .where(like(users.email, 'pressed-%'))
        expect(created).toBe(kinds('create'))
        const late = Date.now() + 32 * DAY_MS
        const ends = await db.select({ at: tokens.expiresAt }).from(tokens)
        expect(ends.filter(({ at }) => at !== null && at.getTime() > late)).toEqual([])
        const kept = await db.select({ state: idempotencyKeys.state }).from(idempotencyKeys)
        expect(kept).toHaveLength(amount)
        expect(new Set(kept.map(({ state }) => state))).toEqual(new Set(['answered']))
      })
    })
  },
)
