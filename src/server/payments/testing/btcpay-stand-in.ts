import { createHmac, randomBytes } from 'node:crypto'
import { decimal } from '#shared/rules/money/money.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { type Answered, type Asked, reportLog, startStandIn } from './stand-in-server.ts'

/** One cent is 20 satoshi. */
const RATE = '50000.00'
const SATOSHI_PER_CENT = 20

type Coins = { id: string; cents: number; status: 'Processing' | 'Settled' | 'Invalid' }
type Method = 'BTC-CHAIN' | 'BTC-LN'

export type StandInInvoice = {
  id: string
  cents: number
  currency: string
  orderId: string
  status: 'New' | 'Processing' | 'Settled' | 'Expired' | 'Invalid'
  additionalStatus: string
  expiresAt: number
  coins: (Coins & { method: Method })[]
  /** The request that created it. */
  request: Record<string, unknown>
}

type CreateBody = {
  amount?: string
  currency?: string
  metadata?: { orderId?: string }
  checkout?: { expirationMinutes?: number; paymentMethods?: string[] }
}

type Options = { clock?: Clock; apiKey?: string; webhookSecret?: string; canRefund?: boolean }
export type BtcpayStandIn = Awaited<ReturnType<typeof startBtcpay>>

const STORE = 'store1'
const id = () => randomBytes(11).toString('base64url')
const ok = (body: unknown): Answered => ({ status: 200, body })
const no = (status: number, message: string): Answered => ({ status, body: { message } })

/** A BTCPay Server with one store, limited to the calls we use. */
export async function startBtcpay(options: Options = {}) {
  const { clock = systemClock, apiKey = 'btcpay-stand-in-key' } = options
  const { webhookSecret = 'btcpay-stand-in-secret', canRefund = true } = options
  const invoices = new Map<string, StandInInvoice>()
  const refunds: { invoiceId: string; amount: string }[] = []
  const now = () => Math.floor(clock.now().getTime() / 1000)

  const sign = (payload: string) => ({
    'btcpay-sig': `sha256=${createHmac('sha256', webhookSecret).update(payload).digest('hex')}`,
  })
  const log = reportLog(sign)
  const tell = (type: string, invoice: StandInInvoice, more: object = {}) => {
    const deliveryId = id()
    return log.add({
      deliveryId,
      webhookId: 'webhook1',
      originalDeliveryId: deliveryId,
      isRedelivery: false,
      type,
      timestamp: now(),
      storeId: STORE,
      invoiceId: invoice.id,
      metadata: { orderId: invoice.orderId },
      ...more,
    })
  }

  const create = (request: Record<string, unknown>): Answered => {
    const { amount, currency, metadata, checkout } = request as CreateBody
    if (!/^\d+\.\d\d$/.test(amount ?? '') || currency === undefined) {
      return no(422, 'The amount or the currency is wrong.')
    }
    const invoice: StandInInvoice = {
      id: id(),
      cents: Number(amount?.replace('.', '')),
      currency,
      orderId: metadata?.orderId ?? '',
      status: 'New',
      additionalStatus: 'None',
      expiresAt: now() + (checkout?.expirationMinutes ?? 15) * 60,
      coins: [],
      request,
    }
    invoices.set(invoice.id, invoice)
    return ok(invoiceBody(invoice))
  }

  const answer = ({ method, path, query, body }: Asked): Answered => {
    const [, , , stores, store, noun, which, part] = path.split('/')
    if (stores !== 'stores' || store !== STORE) return no(404, 'The store was not found.')
    if (noun === undefined) return ok({ id: STORE, name: 'Stand-in' })
    if (noun !== 'invoices') return no(404, 'Not found.')
    if (which === undefined) {
      if (method === 'POST') return create(JSON.parse(body) as Record<string, unknown>)
      const found = [...invoices.values()].filter(
        ({ orderId, status }) =>
          (query.get('orderId') ?? orderId) === orderId &&
          (query.get('status') ?? status) === status,
      )
      return ok(found.map(invoiceBody))
    }
    const invoice = invoices.get(which)
    if (!invoice) return no(404, 'The invoice was not found.')
    if (part === 'payment-methods') return ok(methodsBody(invoice))
    if (part !== 'refund') return ok(invoiceBody(invoice))
    if (!canRefund) return no(403, 'Missing permission btcpay.store.cancreatepullpayments.')
    const { customAmount } = JSON.parse(body) as { customAmount: string }
    refunds.push({ invoiceId: which, amount: customAmount })
    return ok({ id: id(), viewLink: `https://btcpay.example/pull-payments/${id()}` })
  }

  const server = await startStandIn((asked, { refusesKey }) => {
    const { authorization } = asked.headers
    const isGood = !refusesKey && authorization === `token ${apiKey}`
    return isGood ? answer(asked) : no(401, `Not you: ${authorization}`)
  })

  const get = (which: string): StandInInvoice => {
    const invoice = invoices.get(which)
    if (!invoice) throw new Error(`there is no invoice ${which}`)
    return invoice
  }

  return {
    ...server,
    env: {
      PAYMENT_PROVIDER: 'btcpay',
      BTCPAY_URL: server.url,
      BTCPAY_STORE_ID: STORE,
      BTCPAY_API_KEY: apiKey,
      BTCPAY_WEBHOOK_SECRET: webhookSecret,
    },
    invoices,
    refunds,
    reports: log.reports,
    deliverTo: log.deliverTo,
    sign,
    /** Coins are seen, but not final. */
    async send(which: string, cents: number, method: Method = 'BTC-CHAIN') {
      const invoice = get(which)
      const afterExpiration = invoice.status === 'Expired'
      invoice.coins.push({ id: id(), cents, method, status: 'Processing' })
      const before = invoice.status
      judge(invoice)
      await tell('InvoiceReceivedPayment', invoice, { afterExpiration, paymentMethodId: method })
      if (before === 'New' && invoice.status === 'Processing') {
        await tell('InvoiceProcessing', invoice, { overPaid: paid(invoice) > invoice.cents })
      }
    },
    /** The network confirms the coins. */
    async confirm(which: string) {
      const invoice = get(which)
      const before = invoice.status
      for (const coins of invoice.coins) {
        if (coins.status === 'Processing') coins.status = 'Settled'
      }
      judge(invoice)
      await tell('InvoicePaymentSettled', invoice, { afterExpiration: before === 'Expired' })
      if (before !== 'Settled' && invoice.status === 'Settled') {
        const overPaid = paid(invoice) > invoice.cents
        await tell('InvoiceSettled', invoice, { manuallyMarked: false, overPaid })
      }
    },
    /** The coins are double-spent. */
    async doubleSpend(which: string) {
      const invoice = get(which)
      for (const coins of invoice.coins) {
        if (coins.status === 'Processing') coins.status = 'Invalid'
      }
      if (invoice.status !== 'Processing') return
      invoice.status = 'Invalid'
      await tell('InvoiceInvalid', invoice, { manuallyMarked: false })
    },
    /** The invoice's time is over; coins that were seen in full are still awaited. */
    async expire(which: string) {
      const invoice = get(which)
      if (invoice.status !== 'New') return
      invoice.status = 'Expired'
      judge(invoice)
      await tell('InvoiceExpired', invoice, { partiallyPaid: paid(invoice) > 0 })
    },
    /** The operator sets the state by hand. */
    async mark(which: string, status: 'Settled' | 'Invalid') {
      const invoice = Object.assign(get(which), { status, additionalStatus: 'Marked' })
      await tell(`Invoice${status}`, invoice, { manuallyMarked: true })
    },
    /** The same report again, as BTCPay redelivers it: a new delivery id, the same original. */
    redelivered(payload: string) {
      const body = { ...(JSON.parse(payload) as object), deliveryId: id(), isRedelivery: true }
      const again = JSON.stringify(body)
      return { payload: again, headers: sign(again) }
    },
  }
}

const paid = ({ coins }: StandInInvoice): number =>
  coins.filter(({ status }) => status !== 'Invalid').reduce((sum, { cents }) => sum + cents, 0)

/** Sets the state of an invoice from the coins it received. */
function judge(invoice: StandInInvoice): void {
  const sum = paid(invoice)
  const isWhole = sum >= invoice.cents
  if (invoice.additionalStatus === 'Marked') return
  if (invoice.status === 'Expired') {
    if (sum > 0) invoice.additionalStatus = isWhole ? 'PaidLate' : 'PaidPartial'
    return
  }
  if (invoice.status === 'Invalid') return
  const isFinal = invoice.coins.every(({ status }) => status !== 'Processing')
  if (isWhole) invoice.status = isFinal || invoice.status === 'Settled' ? 'Settled' : 'Processing'
  if (sum > 0 && !isWhole) invoice.additionalStatus = 'PaidPartial'
  else invoice.additionalStatus = sum > invoice.cents ? 'PaidOver' : 'None'
}

const invoiceBody = (invoice: StandInInvoice) => ({
  id: invoice.id,
  storeId: STORE,
  amount: decimal(invoice.cents),
  paidAmount: decimal(paid(invoice)),
  currency: invoice.currency,
  type: 'Standard',
  checkoutLink: `https://btcpay.example/i/${invoice.id}`,
  createdTime: invoice.expiresAt - 1800,
  expirationTime: invoice.expiresAt,
  monitoringExpiration: invoice.expiresAt + 86_400,
  status: invoice.status,
  additionalStatus: invoice.additionalStatus,
  archived: false,
  metadata: { orderId: invoice.orderId },
})

const inCoins = (cents: number): string => {
  const satoshi = String(cents * SATOSHI_PER_CENT).padStart(9, '0')
  return `${satoshi.slice(0, -8)}.${satoshi.slice(-8)}`
}

/** An invoice that names no methods takes all of the store's. */
const isTakenBy = ({ request }: StandInInvoice) => {
  const { checkout } = request as CreateBody
  return (method: string): boolean => checkout?.paymentMethods?.includes(method) ?? true
}

const methodsBody = (invoice: StandInInvoice) =>
  (['BTC-CHAIN', 'BTC-LN'] as const).filter(isTakenBy(invoice)).map((paymentMethodId) => {
    const destination = paymentMethodId === 'BTC-LN' ? `lnbc${invoice.id}` : `bc1q${invoice.id}`
    const left = Math.max(0, invoice.cents - paid(invoice))
    return {
      paymentMethodId,
      currency: 'BTC',
      destination,
      paymentLink:
        paymentMethodId === 'BTC-LN' ? `lightning:${destination}` : `bitcoin:${destination}`,
      rate: RATE,
      due: inCoins(left),
      amount: inCoins(invoice.cents),
      activated: true,
      payments: invoice.coins
        .filter(({ method }) => method === paymentMethodId)
        .map(({ id: coinsId, cents, status }) => ({
          id: coinsId,
          receivedDate: 0,
          value: inCoins(cents),
          fee: '0.0',
          status,
          destination,
        })),
    }
  })
