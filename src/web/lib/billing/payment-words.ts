import type { Payment, PaymentState } from '#shared/api/money/payments.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { priceText } from '../format/price.ts'

const PROVIDERS: Record<string, string> = {
  sandbox: 'Test payment',
  manual: 'Paid directly',
  stripe: 'Card, by Stripe',
  btcpay: 'Cryptocurrency, by BTCPay',
  monero: 'Monero',
}

/** The payment method in words. */
export const providerWords = (provider: string): string => PROVIDERS[provider] ?? provider

export const PAYMENT_WORDS: Record<PaymentState, string> = {
  pending: 'Open',
  confirming: 'Confirming',
  paid: 'Paid',
  expired: 'Expired',
  failed: 'Failed',
  refunded: 'Refunded',
}

type Sums = Pick<Payment, 'status' | 'amount' | 'received' | 'refunded' | 'seen'>

const CREDIT = 'It became credit, which pays the next order or renewal.'
const SOON_CREDIT = 'It becomes credit once it is confirmed.'

/** "1 of 3 confirmations"; undefined where the network does not count any. */
export const progressWords = (
  progress: { confirmations: number; needed: number } | null,
): string | undefined =>
  progress === null
    ? undefined
    : `${progress.confirmations} of ${progress.needed} ${progress.needed === 1 ? 'confirmation' : 'confirmations'}`

/** "$3.00 of $6.00 received, $3.00 left": the state of a payment in parts. */
export const partWords = (seen: string, amount: string): string => {
  const left = decimal(Math.max(0, (parseAmount(amount) ?? 0) - (parseAmount(seen) ?? 0)))
  return `${priceText(seen)} of ${priceText(amount)} received, ${priceText(left)} left`
}

/** What is unusual about a payment, in a sentence; undefined where nothing is. */
export function paymentRemark(payment: Sums): string | undefined {
  const { status, amount, received, refunded } = payment
  const asked = parseAmount(amount) ?? 0
  const came = parseAmount(received) ?? 0
  const seen = Math.max(came, parseAmount(payment.seen) ?? 0)
  if ((parseAmount(refunded) ?? 0) > 0) return `${priceText(refunded)} was sent back.`
  if (seen === 0) return undefined
  const part = `${priceText(decimal(seen))} of ${priceText(amount)}`
  switch (status) {
    case 'pending':
    case 'confirming':
      if (seen > asked) return `${priceText(decimal(seen - asked))} too much. ${SOON_CREDIT}`
      return seen < asked ? `${partWords(decimal(seen), amount)}.` : undefined
    case 'paid':
      return came > asked
        ? `${priceText(decimal(came - asked))} too much was received. ${CREDIT}`
        : undefined
    case 'expired':
    case 'failed':
      return seen < asked
        ? `Only ${part} arrived. ${came < seen ? SOON_CREDIT : CREDIT}`
        : `It arrived after the time to pay was over. ${came < seen ? SOON_CREDIT : CREDIT}`
    case 'refunded':
      return undefined
  }
}
