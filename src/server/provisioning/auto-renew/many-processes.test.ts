import { and, eq, isNotNull } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { openPostgres } from '../../db/connect/postgres.ts'
import type { Database } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { ledger, vouchers } from '../../db/schema/ledger.ts'
import { orders } from '../../db/schema/sales.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { creditOf } from '../../ledger/credit.ts'
import { transfer } from '../../ledger/ledger.ts'
import { statement } from '../../ledger/statement.ts'
import { createParts } from '../../parts.ts'
import { type TestApp, testApp, testClock } from '../../testing/test-app.ts'
import { testPostgresUrl } from '../../testing/test-db.ts'
import { createAutoRenewSweep } from './auto-renew-sweep.ts'

const PROCESSES = 4
const CLIENTS = 40
const SERVERS_EACH = 25
const PRICE = 500
/** Every client has credit for all servers, but the last ones for ten of theirs. */
const POOR = 4
const COVERED = 10
/** A process dies inside every so many renewals, after it has paid and before the commit. */
const DIES_EVERY = 40

const clock = testClock()
const opened: Database[] = []
const processes: TestApp[] = []
beforeAll(async () => {
  const url = await testPostgresUrl()
  for (let n = 0; n < PROCESSES; n += 1) {
    const database = await openPostgres({ url, onError: (error) => process.emitWarning(error) })
    opened.push(database)
    processes.push(await testApp({ on: database, clock }))
  }
})
afterAll(async () => {
  for (const one of processes) await one.close()
  for (const database of opened) await database.close()
})

class Killed extends Error {}

let turn = 0
/** The sweep of one process, which dies now and then and is started again. */
const sweepOf = ({ deps }: TestApp) => {
  const { audit, checkouts } = createParts(deps)
  const pay: typeof checkouts.pay = async (...given) => {
    const order = await checkouts.pay(...given)
    turn += 1
    if (turn % DIES_EVERY === 0) throw new Killed('killed')
    return order
  }
  const sweep = createAutoRenewSweep({ ...deps, audit, checkouts: { ...checkouts, pay } })
  return async () => {
    for (;;) {
      try {
        return await sweep()
      } catch (error) {
        if (!(error instanceof Killed)) throw error
      }
    }
  }
}

test('a thousand servers are renewed by four processes, each once', async () => {
  const [first] = processes
  if (!first) throw new Error('no process was started')
  const { db } = first
  const row = { uid: 'x', name: 'X', host: 'x.example', username: 'x@pam', password: 'x' }
  const [cluster] = await db.insert(clusters).values(row).returning({ id: clusters.id })
  const ends = new Map<number, number>()
  const people: { id: number; credit: number }[] = []
  let vmId = 1000
  for (let n = 0; n < CLIENTS; n += 1) {
    const client = await first.make.client()
    const isPoor = n >= CLIENTS - POOR
    const credit = PRICE * (isPoor ? COVERED : SERVERS_EACH)
    people.push({ id: client.id, credit })
    await db.insert(vouchers).values({
      batch: 'drill',
      codeHash: `drill-${n}`,
      ending: 'XXXX',
      amountCents: credit,
      usedAt: clock.now(),
    })
    await db.transaction((tx) =>
      transfer(tx, {
        from: 'vouchers',
        to: 'credit',
        cents: credit,
        userId: client.id,
        reason: 'voucher',
        at: clock.now(),
      }),
    )
    const rows = Array.from({ length: SERVERS_EACH }, () => {
      vmId += 1
      return { clusterId: cluster?.id ?? 0, vmId, name: `vm-${vmId}`, status: 'running' as const }
    })
    const made = await db.insert(instances).values(rows).returning({ id: instances.id })
    const sold = await db
      .insert(tokens)
      .values(
        made.map(({ id }, index) => ({
          tokenId: `drill-${id}`,
          name: 'Drill',
          username: 'root',
          password: 'x',
          osType: 'Debian 12',
          status: 'assigned' as const,
          assignedUserId: client.id,
          assignedInstanceId: id,
          assignedAt: clock.now(),
          // The first of each client ends first.
          expiresAt: new Date(clock.now().getTime() + DAY_MS + index * 60_000),
          monthlyPriceCents: PRICE,
          autoRenew: true,
        })),
      )
      .returning()
    for (const { id, expiresAt } of sold) ends.set(id, expiresAt?.getTime() ?? 0)
  }
  expect(ends.size).toBe(CLIENTS * SERVERS_EACH)

  await Promise.all(processes.map((one) => sweepOf(one)()))
  // A process that met the lock of another has gone on; the next minute finds nothing left.
  await Promise.all(processes.map((one) => sweepOf(one)()))
  expect(turn).toBeGreaterThan(ends.size - POOR * (SERVERS_EACH - COVERED))

  const paid = await db.select().from(ledger).where(isNotNull(ledger.key))
  const expected = (CLIENTS - POOR) * SERVERS_EACH + POOR * COVERED
  expect(new Set(paid.map(({ key }) => key)).size).toBe(expected)
  const made = await db
    .select()
    .from(orders)
    .where(and(eq(orders.kind, 'renewal'), eq(orders.status, 'active')))
  expect(made).toHaveLength(expected)
  expect(new Set(made.map(({ tokenId }) => tokenId)).size).toBe(expected)

  const after = await db.select().from(tokens)
  for (const { id, credit } of people) {
    const mine = after.filter(({ assignedUserId }) => assignedUserId === id)
    const isRenewed = mine
      .toSorted((a, b) => (ends.get(a.id) ?? 0) - (ends.get(b.id) ?? 0))
      .map((token) => (token.expiresAt?.getTime() ?? 0) - (ends.get(token.id) ?? 0))
    const count = credit / PRICE
    expect(isRenewed.slice(0, count)).toEqual(Array(count).fill(30 * DAY_MS))
    expect(isRenewed.slice(count)).toEqual(Array(SERVERS_EACH - count).fill(0))
    expect(await creditOf(db, id)).toBe(0)
  }
  expect((await statement(db)).isBalanced).toBe(true)
}, 240_000)
