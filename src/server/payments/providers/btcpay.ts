import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { PaymentState } from '#shared/api/money/payments.ts'
import type { PaymentMethod } from '#shared/api/shop/billing.ts'
import { decimal } from '#shared/rules/money/money.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { coinWays } from '../../config/payment-ways.ts'
import type { BtcpayConfig } from '../../config/provider-config.ts'
import type { Clock } from '../../lib/clock.ts'
import type {
  Bill,
  PaymentFacts,
  PaymentProvider,
  WebhookReport,
} from '../port/payment-provider.ts'
import { explained, ProviderError } from '../port/provider-errors.ts'
import { centsOf, isAmount, satsOf, worthInCents } from './btcpay-amounts.ts'
import {
  type CoinStatus,
  Delivery,
  Invoice,
  InvoiceMethod,
  PullPayment,
  Store,
} from './btcpay-answers.ts'
import { asJson, type BtcpayCall, btcpayClient } from './btcpay-client.ts'

/** How long BTCPay watches for coins after an invoice has ended. */
const MONITORING_MINUTES = 24 * 60

/** Bitcoin, Lightning and any other method that the store of a BTCPay Server offers. */
export function btcpayProvider(config: BtcpayConfig, clock: Clock): PaymentProvider {
  const call = btcpayClient(config)
  const store = `/api/v1/stores/${encodeURIComponent(config.storeId)}`
  const invoicePath = (id: string) => `${store}/invoices/${encodeURIComponent(id)}`

  return {
    name: 'btcpay',
    ways: coinWays(config.paymentMethods).map(({ id, name, kind }) => ({ id, name, kind })),
    isPaidHere: true,
    isInstant: false,

    async createCheckout(bill) {
      const invoice =
        (await existing(call, store, bill)) ??
        (await call({
          method: 'POST',
          path: `${store}/invoices`,
          body: invoiceOf(bill, config, clock.now()),
          answer: Invoice,
        }))
      const expiresAt = new Date(invoice.expirationTime * 1000)
      return { paymentId: invoice.id, url: invoice.checkoutLink, expiresAt }
    },

    verifyWebhook: async (rawBody, headers) => readDelivery(config, rawBody, headers['btcpay-sig']),

    async fetchState(id) {
      const invoice = await call({ path: invoicePath(id), answer: Invoice })
      const methods = await call({
        path: `${invoicePath(id)}/payment-methods`,
        answer: z.array(InvoiceMethod),
      })
      return factsOf(invoice, methods)
    },

    async methods(id) {
      const path = `${invoicePath(id)}/payment-methods`
      const methods = await call({ path, answer: z.array(InvoiceMethod) })
      return methods.flatMap(wayToPay)
    },

    /**
     * Creates a claim that the client redeems at BTCPay: only the client knows the address for the
     * coins.
     */
    async refund(id, amountCents) {
      const invoice = await call({ path: invoicePath(id), answer: Invoice })
      const { viewLink } = await call({
        method: 'POST',
        path: `${invoicePath(id)}/refund`,
        body: {
          refundVariant: 'Custom',
          customAmount: decimal(amountCents),
          customCurrency: invoice.currency,
          payoutMethodId: await usedMethod(call, invoicePath(id)),
        },
        answer: PullPayment,
      })
      return { claimUrl: viewLink }
    },

    check: () =>
      explained(async () => {
        const { name } = await call({ path: store, answer: Store })
        await call({ path: `${store}/invoices?take=1`, answer: z.array(Invoice) })
        return `BTCPay Server answers for the store ${name}.`
      }, HINTS),
  }
}

const HINTS = {
  unreachable: 'BTCPay Server does not answer. Check BTCPAY_URL and whether it runs.',
  refused: 'BTCPay Server refuses the key. Check BTCPAY_API_KEY and what it may do.',
  missing: 'BTCPay Server does not know the store. Check BTCPAY_STORE_ID.',
  rejected: 'BTCPay Server did not accept the request. Check its version.',
  confused: 'What answers at BTCPAY_URL is not a BTCPay Server we understand.',
}

/** With the way: two that are chosen at the same moment are two invoices of one attempt. */
const reference = ({ orderId, attempt, way }: Bill) =>
  [orderId, attempt, ...(way === undefined ? [] : [way])].join('-')

/** The methods of the chosen way; undefined: all that the store offers. */
const methodsFor = ({ way }: Bill, { paymentMethods }: BtcpayConfig): string[] | undefined =>
  way === undefined
    ? paymentMethods
    : coinWays(paymentMethods).find(({ id }) => id === way)?.methods

/** The amount is always set: without one, BTCPay would accept any payment as the whole. */
const invoiceOf = (bill: Bill, config: BtcpayConfig, now: Date) => {
  const paymentMethods = methodsFor(bill, config)
  return {
    amount: decimal(bill.amountCents),
    currency: bill.currency.toUpperCase(),
    metadata: { orderId: reference(bill), orderUrl: bill.returnUrl, itemDesc: bill.description },
    checkout: {
      expirationMinutes: Math.max(1, Math.ceil((bill.expiresAt.getTime() - +now) / MINUTE_MS)),
      monitoringMinutes: MONITORING_MINUTES,
      paymentTolerance: 0,
      redirectURL: bill.returnUrl,
      redirectAutomatically: true,
      ...(paymentMethods ? { paymentMethods } : {}),
    },
  }
}

/**
 * Finds an invoice whose answer was lost. Only an unpaid one: the client never saw it, so any other
 * belongs to an order with the same number in another database.
 */
async function existing(call: BtcpayCall, store: string, bill: Bill): Promise<Invoice | undefined> {
  const query = new URLSearchParams({ orderId: reference(bill), status: 'New' })
  const found = await call({ path: `${store}/invoices?${query}`, answer: z.array(Invoice) })
  return found.find(
    ({ metadata, status, amount, currency }) =>
      metadata?.orderId === reference(bill) &&
      status === 'New' &&
      isAmount(amount, bill.amountCents) &&
      currency.toLowerCase() === bill.currency,
  )
}

const STATES: Record<Invoice['status'], PaymentState> = {
  New: 'pending',
  Processing: 'confirming',
  Settled: 'paid',
  Expired: 'expired',
  Invalid: 'failed',
}

/** Coins of an invoice that can still be completed do not count yet: they may be only a part. */
const IS_FINAL: Record<Invoice['status'], boolean> = {
  New: false,
  Processing: false,
  Settled: true,
  Expired: true,
  Invalid: true,
}

/** Coins count once they are settled; a settled invoice counts as at least its full amount. */
function factsOf(invoice: Invoice, methods: InvoiceMethod[]): PaymentFacts {
  const { status, amount } = invoice
  const came = IS_FINAL[status] ? worthInCents(coinsOf(methods, ['Settled'])) : 0
  const receivedCents = status === 'Settled' ? Math.max(came, centsOf(amount)) : came
  const isWhole = status === 'Processing' || status === 'Settled'
  const seen = worthInCents(coinsOf(methods, ['Processing', 'Settled']))
  const seenCents = Math.max(seen, receivedCents, isWhole ? centsOf(amount) : 0)
  const isSeen = status === 'New' && methods.some(hasUnsettledCoins)
  const state = isSeen ? 'confirming' : STATES[status]
  return { state, receivedCents, refundedCents: 0, seenCents }
}

const coinsOf = (methods: InvoiceMethod[], statuses: CoinStatus[]) =>
  methods.flatMap(({ rate, payments }) =>
    payments
      .filter(({ status }) => statuses.includes(status))
      .map(({ value, fee }) => ({ value, fee: fee ?? '0', rate: rate ?? '0' })),
  )

/** Unsettled coins keep the reservation until the invoice has ended. */
const hasUnsettledCoins = ({ payments }: InvoiceMethod): boolean =>
  payments.some(({ status }) => status === 'Processing')

const NAMES: Record<string, string> = { CHAIN: '', LN: ' Lightning', LNURL: ' LNURL' }
const COINS: Record<string, string> = { BTC: 'Bitcoin', XMR: 'Monero', LTC: 'Litecoin' }

function wayToPay(method: InvoiceMethod): PaymentMethod[] {
  const { paymentMethodId: id, currency, destination, paymentLink, due } = method
  if (!destination || method.activated === false || due.startsWith('-')) return []
  const kind = id.split('-')[1] ?? ''
  const name = `${COINS[currency] ?? currency}${NAMES[kind] ?? ` ${kind}`}`
  // Wallets for Lightning count in sats.
  const isInSats = currency === 'BTC' && kind.startsWith('LN')
  const amount = isInSats ? `${satsOf(due)} sats` : `${due} ${currency}`
  return [{ id, name, destination, paymentLink: paymentLink || destination, due: amount }]
}

async function usedMethod(call: BtcpayCall, invoice: string): Promise<string> {
  const path = `${invoice}/payment-methods`
  const methods = await call({ path, answer: z.array(InvoiceMethod) })
  const used = methods.find(({ payments }) => payments.some(({ status }) => status === 'Settled'))
  if (used) return used.paymentMethodId.replace(/-LNURL$/, '-LN')
  throw new ProviderError('rejected', 'no coins came for this invoice: nothing to send back')
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/

/**
 * A delivery carries no time, so a replayed copy looks genuine: its id identifies it, and the
 * invoice is read again.
 */
function readDelivery(
  { webhookSecret, storeId }: BtcpayConfig,
  rawBody: Buffer,
  header: string | string[] | undefined,
): WebhookReport | undefined {
  const given = typeof header === 'string' ? SIGNATURE.exec(header)?.[1] : undefined
  const right = createHmac('sha256', webhookSecret).update(rawBody).digest()
  if (given === undefined || !timingSafeEqual(Buffer.from(given, 'hex'), right)) return undefined
  const { success, data } = Delivery.safeParse(asJson(rawBody.toString('utf8')))
  if (!success) return undefined
  const report = { eventId: data.originalDeliveryId, type: data.type }
  const subject = data.storeId === storeId ? data.invoiceId : undefined
  return subject ? { ...report, subject } : report
}
