import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { TokenStatus } from '#shared/api/shop/tokens.ts'
import { AppError } from '#shared/errors.ts'
import { canMoveToken, isStock } from '#shared/rules/token/token-status.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { actorOf, type Bend, byHand } from './testing/by-hand.ts'
import { openShop } from './testing/shop.ts'

const DAY = 86_400_000
const RUNS = process.env.LONG === '1' ? 1000 : 200

const ACTS = [
  'A buys',
  'B buys',
  'jobs run',
  'jobs fail',
  'A renews',
  'B renews',
  'A cancels',
  'B cancels',
  'admin deletes',
  'admin restores',
  'a day passes',
  'ten days pass',
  'a month passes',
] as const
type Act = (typeof ACTS)[number]

/** The state of a token by T2, derived from the actions alone. */
type Model = {
  status: TokenStatus | 'deleted'
  owner: 'A' | 'B' | undefined
  ends: number
  cancelled: number
  hasVm: boolean
  /** The end as a sweep recorded it, and when. */
  recorded: { end: number; at: number } | undefined
}

const GRACE = 7 * DAY
const held = (m: Model) => m.status === 'assigned' || m.status === 'expired'

/** True if the action should succeed. */
function predict(m: Model, act: Act, now: number): boolean {
  const [who, verb] = act.split(' ')
  switch (verb) {
    case 'buys':
      if (m.status !== 'ready') return false
      Object.assign(m, { status: 'pending', owner: who })
      return true
    case 'renews':
      if (!held(m) || m.owner !== who || Math.max(now, m.ends) + 30 * DAY > now + 730 * DAY)
        return false
      Object.assign(m, { status: 'assigned', ends: Math.max(now, m.ends) + 30 * DAY })
      return true
    case 'cancels':
      if (!held(m) || m.owner !== who) return false
      Object.assign(m, { status: 'cancelled', cancelled: now })
      return true
    case 'deletes':
      if (m.status === 'deleted' || m.status === 'pending' || held(m)) return false
      // A VM that is not ours is released with the record.
      Object.assign(m, m.status === 'ready' ? { status: 'cancelled' } : { status: 'deleted' })
      return true
    case 'restores':
      if (m.status !== 'cancelled') return false
      if (m.owner === undefined) Object.assign(m, { status: 'ready' })
      else if (!m.hasVm) return false
      else {
        const status = m.ends <= now ? 'expired' : 'assigned'
        Object.assign(m, { status, cancelled: Number.POSITIVE_INFINITY })
      }
      return true
    default:
      return true
  }
}

/** The effect of time once the sweep and the jobs have run. */
function settle(m: Model, act: Act, now: number): void {
  if (m.status === 'pending') {
    if (act === 'jobs fail') Object.assign(m, { status: 'ready', owner: undefined })
    else Object.assign(m, { status: 'assigned', ends: now + 30 * DAY, hasVm: true })
  }
  if (m.status === 'assigned' && m.ends <= now) m.status = 'expired'
  const end = Math.min(m.ends, m.cancelled)
  if (!m.hasVm || (m.status !== 'expired' && m.status !== 'cancelled')) {
    m.recorded = undefined
  } else if (m.recorded?.end !== end) {
    // One sweep records the end, and only a later one removes.
    m.recorded = { end, at: now }
  } else if (end + GRACE <= now && m.recorded.at + GRACE <= now) {
    Object.assign(m, { status: 'cancelled', hasVm: false, recorded: undefined })
  }
}

describe('the life of a token', async () => {
  const clock = testClock(new Date('2027-01-01T00:00:00.000Z'))
  // Servers of many runs end at the same time.
  const t = await testApp({ sim: true, clock, env: { REMOVALS_PER_HOUR: '10000' } })
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()
  const people = { A: await t.make.client(), B: await t.make.client() }
  let nextVm = 500_000

  /** Only the steps that change tokens: those that touch a VM have their own tests. */
  const withoutCluster =
    (fails: boolean): Bend =>
    (steps, kind) =>
      steps
        .filter(({ name }) => ['claim', 'proof', 'assign', 'cancel', 'release'].includes(name))
        .map((step) => {
          // No guest runs here that could answer.
          if (step.name === 'proof') return { ...step, run: async () => ({ by: 'agent' }) }
          if (!fails || kind !== 'provision' || step.name !== 'assign') return step
          const run: typeof step.run = async () => {
            throw new AppError('NOT_FOUND', 'No.')
          }
          return { ...step, run }
        })

  const stock = async () => {
    nextVm += 1
    const [vm] = await t.db
      .insert(instances)
      .values({ clusterId: t.cluster.id, vmId: nextVm, name: 'vm', status: 'running' })
      .returning()
    const token = await t.make.token({
      tokenType: 'ready',
      status: 'ready',
      nodeId: shop.node.id,
      instanceId: vm?.id ?? 0,
      monthlyPriceCents: 500,
    })
    await t.db
      .update(instances)
      .set({ tokenId: token.id })
      .where(eq(instances.id, vm?.id ?? 0))
    return token
  }

  const attempt = async (act: Act, id: number): Promise<boolean> => {
    const [who, verb] = act.split(' ')
    const actor = actorOf(people[who === 'B' ? 'B' : 'A'])
    const params = { id }
    const work: Record<string, () => Promise<unknown>> = {
      buys: () => hand.sales.claim(actor, String(id), 'purchase'),
      renews: () => hand.renewals.renew(actor, id),
      cancels: () => hand.renewals.cancel(actor, id),
      deletes: () => shop.admin.call(api.tokens.remove, { params }),
      restores: () => shop.admin.call(api.tokens.restore, { params }),
    }
    try {
      await work[verb ?? '']?.()
      return true
    } catch {
      return false
    }
  }

  const advance = async (act: Act) => {
    if (act === 'a day passes') clock.advance(DAY)
    if (act === 'ten days pass') clock.advance(10 * DAY)
    if (act === 'a month passes') clock.advance(30 * DAY)
    await hand.runAll(withoutCluster(act === 'jobs fail'))
    await hand.sweep()
    await hand.runAll(withoutCluster(false))
  }

  test(`follows T2 for every sequence of actions, in ${RUNS} runs`, {
    timeout: 1_800_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ACTS), { minLength: 1, maxLength: 14 }),
        async (acts) => {
          const { id } = await stock()
          const model: Model = {
            status: 'ready',
            owner: undefined,
            ends: Number.POSITIVE_INFINITY,
            cancelled: Number.POSITIVE_INFINITY,
            hasVm: false,
            recorded: undefined,
          }
          for (const act of acts) {
            const before = model.status
            const isAllowed = predict(model, act, clock.now().getTime())
            expect(await attempt(act, id), `${act} while ${before}`).toBe(isAllowed)
            if (!/buys|renews|cancels|deletes|restores/.test(act)) {
              await advance(act)
              settle(model, act, clock.now().getTime())
            }
            await check(id, model, before)
          }
        },
      ),
      { numRuns: RUNS },
    )
  })

  async function check(id: number, model: Model, before: Model['status']) {
    const [row] = await t.db.select().from(tokens).where(eq(tokens.id, id))
    expect(row?.status ?? 'deleted').toBe(model.status)
    if (!row || before === 'deleted') return
    const status = row.status as TokenStatus
    const owner = model.owner === undefined ? null : people[model.owner].id
    expect(row.assignedUserId).toBe(owner)
    if (isStock(status)) expect(row.assignedInstanceId).toBeNull()
    if (status !== before && before !== 'pending' && before !== 'assigned') {
      expect(canMoveToken(before, status), `${before} → ${status}`).toBe(true)
    }
  }
})
