import { eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { moneroPayments } from '../../../db/schema/ledger.ts'
import { creditOf } from '../../../ledger/credit.ts'
import type { testClock } from '../../../testing/test-app.ts'
import type { DatabaseKind } from '../../../testing/test-db.ts'
import { openTill } from '../till.ts'
import { byHand } from '../till-by-hand.ts'
import type { MoneroChain } from './monero-chain.ts'

type Options = { database?: DatabaseKind; clock: ReturnType<typeof testClock> }

/** A till that takes Monero, on any chain. A token costs $5.00, which is 0.033334 XMR at $150. */
export async function openMoneroTill(chain: Pick<MoneroChain, 'env'>, options: Options) {
  const till = await openTill(chain, options)
  const { t } = till
  const hand = byHand(till)

  const rowOf = async (address: string) => {
    const [row] = await t.db
      .select()
      .from(moneroPayments)
      .where(eq(moneroPayments.address, address))
    if (!row) throw new Error('no such payment')
    return row
  }

  /** A server is reserved, or renewed, and its payment is open. */
  const bought = async (kind: 'purchase' | 'renewal') => {
    const client = await t.make.client()
    const order = await (async () => {
      if (kind === 'purchase') {
        const { tokenId } = await till.stock()
        const made = await t.as(client).call(api.marketplace.purchase, { params: { tokenId } })
        return made.order
      }
      return undefined
    })()
    const made = order ? { client, order } : await till.renewal()
    const { providerPaymentId: address } = await till.paymentOf(made.order.id)
    const row = await rowOf(address)
    const as = t.as(made.client)
    return {
      client: made.client,
      order: made.order,
      address,
      due: BigInt(row.duePico),
      index: row.addressIndex,
      row: () => rowOf(address),
      /** What the client sees after the next poll. */
      async heard() {
        await hand.poll()
        return await as.call(api.billing.details, { params: { id: made.order.id } })
      },
      look: () => as.call(api.billing.details, { params: { id: made.order.id } }),
      credit: async () => decimal(await creditOf(t.db, made.client.id)),
    }
  }

  return { ...till, hand, bought }
}

export type MoneroTill = Awaited<ReturnType<typeof openMoneroTill>>
