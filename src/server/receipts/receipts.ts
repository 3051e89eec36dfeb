import { max, sql } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Db } from '../db/database.ts'
import { receipts } from '../db/schema/ledger.ts'
import type { Deps } from '../runtime/deps.ts'
import { dueReceipts, type Which } from './due-receipts.ts'
import { contentOf, kindOf } from './receipt-content.ts'
import { receiptsOf } from './receipt-rows.ts'
import { readSeller } from './seller.ts'

/** An arbitrary number: who issues a receipt takes this lock, so numbers have no gaps. */
const RECEIPTS_LOCK = 7_304_221
const BATCH = 200
/** How far back a sweep looks; the first one of a process looks at everything. */
const RECENT_MS = 2 * DAY_MS

type ReceiptsDeps = Pick<Deps, 'db' | 'clock' | 'keyring' | 'config'>

export type Receipts = ReturnType<typeof createReceipts>

/**
 * Receipts follow from the ledger alone: every entry that earns money, or gives it back, gets one,
 * once. Code that moves money knows nothing of receipts.
 */
export function createReceipts(deps: ReceiptsDeps) {
  const { db, clock } = deps
  let hasLookedAtAll = false

  /** Returns how many were issued. */
  const issue = async (which: Which): Promise<number> => {
    const [first] = await dueReceipts(db, which, 1)
    return first ? await db.transaction((tx) => issueBatch(tx, which)) : 0
  }

  const issueBatch = async (tx: Db, which: Which): Promise<number> => {
    await tx.execute(sql`select pg_advisory_xact_lock(${RECEIPTS_LOCK})`)
    const due = await dueReceipts(tx, which, BATCH)
    const seller = await readSeller(tx, deps)
    const [{ last } = { last: null }] = await tx
      .select({ last: max(receipts.number) })
      .from(receipts)
    let number = last ?? 0
    for (const one of due) {
      number += 1
      await tx.insert(receipts).values({
        number,
        kind: kindOf(one),
        ledgerId: one.entry.id,
        orderId: one.order.id,
        issuedAt: clock.now(),
        content: await contentOf(tx, one, seller),
      })
    }
    return due.length
  }

  return {
    /** Of one order, oldest first; what the sweep has not reached yet is issued now. */
    async of(orderId: number) {
      await issue({ orderId })
      return await receiptsOf(db, [orderId])
    },

    async sweep(): Promise<void> {
      const since = new Date(clock.now().getTime() - RECENT_MS)
      const which = hasLookedAtAll ? { since } : {}
      while ((await issue(which)) === BATCH);
      hasLookedAtAll = true
    },
  }
}
