import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, notFound } from '#shared/errors.ts'
import type { Db } from '../db/database.ts'
import { orders, payments } from '../db/schema/sales.ts'
import { defineJob, type Step } from '../jobs/job-definition.ts'
import { heldIn, transfer } from '../ledger/ledger.ts'
import { lockOrder } from '../orders/orders.ts'
import type { Deps } from '../runtime/deps.ts'
import { publishTokenChange } from '../tokens/publish-token-change.ts'
import type { PaymentRow } from './payment-rows.ts'
import type { Refund } from './port/payment-provider.ts'
import type { Settlement } from './settlement.ts'
import type { Providers } from './ways/providers.ts'

const RefundInput = z.object({
  orderId: z.number().int(),
  paymentId: z.number().int(),
  cents: z.number().int().positive(),
  /** What the payment had already refunded, so that a second run does not send it again. */
  before: z.number().int(),
})

type RefundDeps = Pick<Deps, 'db' | 'clock' | 'events'> & {
  providers: Providers
  settlement: Settlement
}

/**
 * Sends the money of a cancelled order back. The money stays held meanwhile; if the provider
 * refuses, it becomes the client's credit.
 */
export function refundJob(deps: RefundDeps) {
  const refundStep: Step<z.output<typeof RefundInput>, Refund | undefined> = {
    name: 'refund',
    async run({ input }) {
      const payment = await paymentById(deps.db, input.paymentId)
      if (payment.refundedCents >= input.before + input.cents) return undefined
      const refund = (await deps.providers.now(deps.db)).named(payment.provider)?.refund
      if (!refund) {
        throw new AppError('INVALID_STATE', `${payment.provider} sends no money back.`)
      }
      return await refund(payment.providerPaymentId, input.cents)
    },
    undo: ({ input }) => keepAsCredit(deps, input.orderId),
  }

  return defineJob({
    kind: 'refund',
    input: RefundInput,
    title: ({ orderId }) => `Refund order ${orderId}`,
    steps: [
      refundStep,
      {
        name: 'record',
        async run({ input, output }) {
          await tellWhereToClaim(deps, input.orderId, output(refundStep)?.claimUrl)
          await deps.settlement.settle(input.paymentId, {
            state: 'paid',
            receivedCents: 0,
            refundedCents: input.before + input.cents,
          })
        },
      },
    ],
  })
}

export type RefundJob = ReturnType<typeof refundJob>

/** Coins go back only to an address that the client enters on the provider's page. */
async function tellWhereToClaim({ db }: RefundDeps, orderId: number, claimUrl?: string) {
  if (claimUrl === undefined) return
  const failure = `Your money waits for you at ${claimUrl}`
  await db.update(orders).set({ failure }).where(eq(orders.id, orderId))
}

async function paymentById(db: Db, id: number): Promise<PaymentRow> {
  const [row] = await db.select().from(payments).where(eq(payments.id, id))
  if (!row) throw notFound('Payment')
  return row
}

const keepAsCredit = ({ db, clock, events }: RefundDeps, orderId: number): Promise<void> =>
  db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId)
    await transfer(tx, {
      from: 'held',
      to: 'credit',
      cents: await heldIn(tx, 'held', orderId),
      userId: order.userId,
      orderId,
      reason: 'the provider did not send it back',
      at: clock.now(),
    })
    await publishTokenChange(tx, events, order.userId)
  })
