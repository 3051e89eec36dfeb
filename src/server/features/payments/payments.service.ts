import { desc, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { PaymentStatus, ProviderStatus } from '#shared/api/money/payments.ts'
import { notFound } from '#shared/errors.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { webhookEvents } from '../../db/schema/ledger.ts'
import { statement } from '../../ledger/statement.ts'
import { openPaymentsByProvider } from '../../payments/payment-rows.ts'
import type { PaymentPoll } from '../../payments/poll.ts'
import type { ProviderSet, Providers } from '../../payments/ways/providers.ts'
import type { Ways } from '../../payments/ways/ways.ts'
import type { Deps } from '../../runtime/deps.ts'
import { webhookUrl } from './provider-setup.ts'
import { toOperatorWay } from './ways.service.ts'

type PaymentsDeps = Pick<Deps, 'db' | 'config'> & {
  providers: Providers
  ways: Ways
  poll: Pick<PaymentPoll, 'lastAt'>
}

/** For the operator: the payment providers, and whether their reports arrive. */
export function paymentsService({ db, config, providers, ways, poll }: PaymentsDeps) {
  const lastWebhook = async (provider: string) => {
    const [row] = await db
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.provider, provider))
      .orderBy(desc(webhookEvents.id))
      .limit(1)
    return row ? { at: row.receivedAt, type: row.type, outcome: row.outcome } : null
  }

  /** Those that are offered, and those that are not but still have payments open. */
  const shown = ({ offered, all }: ProviderSet, open: Map<string, number>) => [
    ...offered,
    ...all.filter(
      (provider) => !offered.includes(provider) && (provider.fetchState || open.has(provider.name)),
    ),
  ]

  return {
    async status(): Promise<z.input<typeof PaymentStatus>> {
      const open = await openPaymentsByProvider(db)
      const away = await ways.awaySince(db)
      const list: z.input<typeof ProviderStatus>[] = []
      const set = await providers.now(db)
      for (const provider of shown(set, open)) {
        const { name } = provider
        list.push({
          name,
          isOffered: set.offered.includes(provider),
          webhookUrl: webhookUrl(config, name),
          lastWebhook: await lastWebhook(name),
          openPayments: open.get(name) ?? 0,
          awaySince: away(name),
          lookAhead: (await provider.lookAhead?.()) ?? null,
        })
      }
      const { unclaimed, isBalanced } = await statement(db)
      const [first] = list
      return {
        provider: first?.name ?? '',
        isTestMode: list.some(({ name, isOffered }) => name === 'sandbox' && isOffered),
        webhookUrl: first?.webhookUrl ?? null,
        lastWebhook: first?.lastWebhook ?? null,
        providers: list,
        ways: (await ways.all(db)).map(toOperatorWay),
        instructions: await ways.instructions(db),
        lastPollAt: (await poll.lastAt()) ?? null,
        openPayments: [...open.values()].reduce((sum, one) => sum + one, 0),
        unclaimed: decimal(unclaimed),
        isBalanced,
      }
    },

    /** One that answers is offered again. */
    async test({ provider: name }: { provider?: string | undefined }) {
      const { offered, named } = await providers.now(db)
      const provider = name === undefined ? offered[0] : named(name)
      if (!provider) throw notFound('Payment provider')
      return { message: await ways.test(provider) }
    },
  }
}
