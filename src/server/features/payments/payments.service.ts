import { count, desc, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { PaymentStatus } from '#shared/api/shop/payments.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { webhookEvents } from '../../db/schema/ledger.ts'
import { payments } from '../../db/schema/sales.ts'
import { statement } from '../../ledger/statement.ts'
import { OPEN } from '../../payments/payment-rows.ts'
import type { PaymentPoll } from '../../payments/poll.ts'
import type { PaymentProvider } from '../../payments/port/payment-provider.ts'
import type { Deps } from '../../runtime/deps.ts'

type PaymentsDeps = Pick<Deps, 'db' | 'config'> & {
  provider: PaymentProvider
  poll: Pick<PaymentPoll, 'lastAt'>
}

/** For the operator: the payment provider, and whether its reports arrive. */
export function paymentsService({ db, config, provider, poll }: PaymentsDeps) {
  const lastWebhook = async () => {
    const [row] = await db.select().from(webhookEvents).orderBy(desc(webhookEvents.id)).limit(1)
    return row ? { at: row.receivedAt, type: row.type, outcome: row.outcome } : null
  }

  const openPayments = async () => {
    const [row] = await db
      .select({ open: count() })
      .from(payments)
      .where(inArray(payments.status, OPEN))
    return row?.open ?? 0
  }

  return {
    async status(): Promise<z.input<typeof PaymentStatus>> {
      const { name, fetchState } = provider
      const { unclaimed, isBalanced } = await statement(db)
      return {
        provider: name,
        isTestMode: name === 'sandbox',
        webhookUrl: fetchState ? `${config.publicUrl ?? ''}/api/webhooks/${name}` : null,
        lastWebhook: await lastWebhook(),
        lastPollAt: (await poll.lastAt()) ?? null,
        openPayments: await openPayments(),
        unclaimed: decimal(unclaimed),
        isBalanced,
      }
    },

    test: async () => ({ message: await provider.check() }),
  }
}
