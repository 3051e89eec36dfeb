import { randomUUID } from 'node:crypto'
import { api } from '#shared/api/index.ts'
import type { ResponseOf } from '#shared/api/parts/route.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import type { BtcpayStandIn } from '../../payments/testing/btcpay-stand-in.ts'
import type { StripeStandIn } from '../../payments/testing/stripe-stand-in.ts'
import type { Person } from '../test-app.ts'
import type { HandRun } from './hand-run.ts'

/** An operating system on offer without a template. */
export const NO_TEMPLATE = 'Plan 9'

type Form = Record<string, unknown>
/** Puts a token on sale; returns its row's id and its public name. */
export type PutOnSale = (values?: Form) => Promise<{ id: number; tokenId: string }>

/** Every sale has a new client: nothing here depends on the limits of one client. */
export async function claim(
  { t }: HandRun,
  onSale: PutOnSale,
  { hasWishes, ...values }: Form = {},
) {
  const client = await t.make.client()
  const token = await onSale(values)
  // Like our own pages: with an idempotency key.
  const reply = await t.as(client).send({
    method: 'POST',
    url: `/api/marketplace/purchase/${token.tokenId}`,
    headers: { 'idempotency-key': randomUUID() },
    ...(hasWishes === true && { payload: await wishes(t, client) }),
  })
  if (reply.statusCode !== 201) throw new Error(`the purchase failed: ${reply.body}`)
  const { order } = reply.json<ResponseOf<typeof api.marketplace.purchase>>()
  return { client, token, order }
}

/** A name and a key for the new server. */
async function wishes(t: HandRun['t'], client: Person) {
  const { publicKey } = PUBLIC_KEYS.ed25519
  const key = await t.as(client).call(api.sshKeys.add, { body: { name: 'laptop', publicKey } })
  return { label: 'Mail', hostname: 'mx-1', sshKeyIds: [key.id] }
}

/** Its server goes to another account, which has made a code for it in turn. */
export async function handedOver({ t, ...hand }: HandRun, { client }: { client: Person }) {
  const codeOf = async (owner: Person) => {
    const [server] = await t.as(owner).call(api.client.instances)
    const params = { id: server?.id ?? 0 }
    return (await t.as(owner).call(api.servers.offer, { params })).code
  }
  const receiver = await t.make.client()
  const params = { code: await codeOf(client) }
  await t.as(receiver).call(api.client.takeOver, { params, body: {} })
  await hand.work()
  await codeOf(receiver)
  return { client: receiver }
}

/** Bitcoin: paid in full, partly, late and too much; in progress; not paid at all. */
export async function soldForBitcoin(hand: HandRun, btcpay: BtcpayStandIn, onSale: PutOnSale) {
  let heard = 0
  const hear = async () => {
    const fresh = btcpay.reports.slice(heard)
    heard = btcpay.reports.length
    await hand.hear('btcpay', fresh)
  }
  const invoiceOf = async (orderId: number) => (await hand.paymentOf(orderId)).providerPaymentId

  const sale = async (cents: number, values: Form = {}) => {
    const sold = await claim(hand, onSale, values)
    const id = await invoiceOf(sold.order.id)
    if (cents > 0) await btcpay.send(id, cents)
    await btcpay.confirm(id)
    await hear()
    return { ...sold, id }
  }
  return {
    hear,
    paid: (values: Form = {}) => sale(500, values),
    /** Paid, and its job has not begun. */
    async confirmed() {
      const sold = await claim(hand, onSale)
      const payment = await hand.paymentOf(sold.order.id)
      await btcpay.send(payment.providerPaymentId, 500)
      await btcpay.confirm(payment.providerPaymentId)
      heard = btcpay.reports.length
      await hand.poll()
      return sold
    },
    overpaid: () => sale(750, { durationDays: 90 }),
    /** The rest never arrives: the part becomes credit. */
    async partial() {
      const sold = await sale(200)
      await btcpay.expire(sold.id)
      await hear()
      return sold
    },
    /** The money arrives after the reservation has lapsed: it becomes credit. */
    async late(pass: (minutes: number) => Promise<void>) {
      const sold = await claim(hand, onSale)
      const id = await invoiceOf(sold.order.id)
      await btcpay.expire(id)
      await hear()
      await pass(40)
      await btcpay.send(id, 500)
      await btcpay.confirm(id)
      await hear()
      return sold
    },
    async confirming() {
      const sold = await claim(hand, onSale)
      await btcpay.send(await invoiceOf(sold.order.id), 500)
      await hear()
      return sold
    },
    pending: () => claim(hand, onSale),
    async renewed(who: Parameters<typeof hand.t.as>[0], tokenId: number) {
      const params = { id: tokenId }
      const { order } = await hand.t.as(who).call(api.client.renew, { params })
      const id = await invoiceOf(order.id)
      await btcpay.send(id, 500)
      await btcpay.confirm(id)
      await hear()
      return order
    },
  }
}

/** Cards: paid, refunded, disputed and lost, and charged again every month. */
export async function soldByCard(hand: HandRun, stripe: StripeStandIn, onSale: PutOnSale) {
  let heard = 0
  const hear = async () => {
    const fresh = stripe.reports.slice(heard)
    heard = stripe.reports.length
    await hand.hear(
      'stripe',
      fresh.map(({ payload }) => ({ payload, headers: stripe.sign(payload) })),
    )
  }
  const paid = async () => {
    const sold = await claim(hand, onSale, { durationDays: 90 })
    const session = (await hand.paymentOf(sold.order.id)).providerPaymentId
    await stripe.pay(session)
    await hear()
    return { ...sold, session }
  }
  return {
    paid,
    /** An admin ends the server, and the provider refunds the money. */
    async refunded(admin: ReturnType<HandRun['t']['as']>) {
      const sold = await paid()
      const body = { status: 'cancelled', refund: 'provider' } as const
      await admin.call(api.orders.update, { params: { id: sold.order.id }, body })
      await hand.work()
      await hear()
      return sold
    },
    async disputed() {
      const sold = await paid()
      await stripe.dispute(sold.session)
      await stripe.loseDisputes(sold.session)
      await hear()
      return sold
    },
    async subscribed() {
      const sold = await paid()
      const params = { id: sold.token.id }
      const { checkoutUrl } = await hand.t.as(sold.client).call(api.billing.subscribe, { params })
      await stripe.subscribe(checkoutUrl.split('/').at(-1) ?? '', 500)
      await hear()
      return sold
    },
  }
}

/**
 * By hand: one order marked as paid, one that cannot be delivered automatically, one not paid yet.
 */
export async function soldByHand(
  hand: HandRun,
  admin: ReturnType<HandRun['t']['as']>,
  packageId: string,
) {
  const { t } = hand
  const order = async (osType: string) => {
    const client = await t.make.client()
    const body = { packageId, osType }
    return (await t.as(client).call(api.billing.order, { body })).order
  }
  const markPaid = async ({ id }: { id: number }) => {
    await admin.call(api.orders.update, { params: { id }, body: { status: 'paid' } })
    await hand.work()
  }
  const undeliverable = await order(NO_TEMPLATE)
  await markPaid(undeliverable)
  const delivered = await order('Debian 12')
  await markPaid(delivered)
  return { undeliverable, delivered, unpaid: await order('Debian 12') }
}

/** Credit that was bought, a server that is renewed from it, and the link that renews it. */
export async function creditBought(
  { t }: HandRun,
  admin: ReturnType<HandRun['t']['as']>,
  { client, token }: { client: Person; token: { id: number } },
): Promise<void> {
  const owner = t.as(client)
  await admin.call(api.payments.setDiscounts, { body: { 3: 5, 6: 10, 12: 20 } })
  await owner.call(api.credit.topUp, { body: { amount: '20.00', paymentMethod: 'manual' } })
  const params = { id: token.id }
  await owner.call(api.credit.autoRenew, { params, body: { enabled: true } })
  await owner.call(api.paymentLinks.create, { params })
}

/** Two vouchers, one of which has become credit. */
export async function vouchersMade(
  { t }: HandRun,
  admin: ReturnType<HandRun['t']['as']>,
): Promise<void> {
  const { vouchers } = await admin.call(api.vouchers.create, {
    body: { count: 2, amount: '5.00', note: null },
  })
  const client = t.as(await t.make.client())
  await client.call(api.vouchers.redeem, { body: { code: vouchers[0]?.code ?? '' } })
}

/** Two coupons, one of which an unpaid renewal has. */
export async function couponsMade(
  { t }: HandRun,
  admin: ReturnType<HandRun['t']['as']>,
  { client, token }: { client: Person; token: { id: number } },
): Promise<void> {
  await admin.call(api.coupons.create, { body: { amountOff: '1.00' } })
  const { code } = await admin.call(api.coupons.create, {
    body: { code: 'HARBOUR', percent: 10, renewals: true },
  })
  const params = { id: token.id }
  await t.as(client).call(api.client.renew, { params, body: { coupon: code } })
}

/** A client has chosen a smaller package for the next term. */
export async function packagePlanned(
  { t }: HandRun,
  admin: ReturnType<HandRun['t']['as']>,
  { client }: { client: Person },
): Promise<void> {
  const size = { cpu: '1 CPU', ram: '1 GB', storage: '20 GB SSD' }
  const plan = { ...size, name: 'Cove', price: 3, osOptions: ['Debian 12'] }
  const { id: packageId } = await admin.call(api.packages.create, { body: plan })
  const [server] = await t.as(client).call(api.client.instances)
  const params = { id: server?.id ?? 0 }
  await t.as(client).call(api.packageChange.change, { params, body: { packageId } })
}
