import type { MonthsDiscounts } from '#shared/api/money/payments.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { readDiscounts, storeDiscounts } from '../../payments/ways/discounts.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type DiscountDeps = Pick<Deps, 'db' | 'clock' | 'keyring'> & { audit: Audit }

/** For the operator: what several months at once cost less. */
export function discountsService({ db, clock, keyring, audit }: DiscountDeps) {
  return {
    get: (): Promise<MonthsDiscounts> => readDiscounts(db, keyring),

    set: (actor: Actor, discounts: MonthsDiscounts): Promise<MonthsDiscounts> =>
      db.transaction(async (tx) => {
        await storeDiscounts(tx, discounts, { keyring, now: clock.now() })
        const entry = { target: 'payments', details: { percent: discounts } }
        await audit.record(tx, actor, { action: 'payments.discounts', ...entry })
        return discounts
      }),
  }
}
