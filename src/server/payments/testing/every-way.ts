import { eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import { moneroPayments } from '../../db/schema/ledger.ts'
import { atEnd } from '../../testing/at-end.ts'
import type { Person, TestApp, TestClock } from '../../testing/test-app.ts'
import { startBtcpay } from './btcpay-stand-in.ts'
import { startMonero } from './monero/monero-stand-in.ts'
import { startStripe } from './stripe-stand-in.ts'
import type { Till } from './till.ts'

/** Every way to pay that needs someone outside. */
export const PROVIDER_WAYS = ['card', 'lightning', 'bitcoin', 'monero', 'manual'] as const

/** A stand-in for every provider, and one installation that takes them all. */
export async function startEveryWay(clock: TestClock) {
  const stripe = await startStripe({ clock })
  const btcpay = await startBtcpay({ clock })
  const monero = await startMonero({ clock })
  for (const { close } of [stripe, btcpay, monero]) atEnd(close)

  const toAddress = async ({ t }: Till, address: string) => {
    const isIt = eq(moneroPayments.address, address)
    const [row] = await t.db.select().from(moneroPayments).where(isIt)
    await monero.pay(address, BigInt(row?.duePico ?? 0))
    await monero.mine(20)
  }

  return {
    stand: {
      env: {
        ...stripe.env,
        ...btcpay.env,
        ...monero.env,
        BTCPAY_PAYMENT_METHODS: 'BTC-LN,BTC-CHAIN',
        PAYMENT_PROVIDER: 'stripe,btcpay,monero,manual',
      },
    },

    /** All of the order's newest payment arrives at its provider, for good. */
    async pay(till: Till, orderId: number, operator: Person) {
      const payment = (await till.payments(orderId)).at(-1)
      if (!payment) throw new Error('no payment was opened')
      const { provider, way, providerPaymentId: id, amountCents } = payment
      if (provider === 'stripe') return await stripe.pay(id)
      if (provider === 'monero') return await toAddress(till, id)
      if (provider === 'btcpay') {
        await btcpay.send(id, amountCents, way === 'lightning' ? 'BTC-LN' : 'BTC-CHAIN')
        return await btcpay.confirm(id)
      }
      const call = { params: { id: orderId }, body: { status: 'paid' as const } }
      return await till.t.as(operator).call(api.orders.update, call)
    },
  }
}

/** Credit that comes from a voucher. */
export async function redeemVoucher(
  t: TestApp,
  { operator, client, amount }: Record<'operator' | 'client', Person> & { amount: string },
): Promise<void> {
  const body = { count: 1, amount }
  const { vouchers } = await t.as(operator).call(api.vouchers.create, { body })
  const code = vouchers[0]?.code ?? ''
  await t.as(client).call(api.vouchers.redeem, { body: { code } })
}
