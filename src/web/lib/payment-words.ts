import type { Payment, PaymentState } from '#shared/api/payments.ts'
import { decimal, parseAmount } from '#shared/rules/money.ts'
import { priceText } from './price.ts'

const PROVIDERS: Record<string, string> = {
  sandbox: 'Test payment',
  manual: 'Paid directly',
  stripe: 'Card, by Stripe',
  btcpay: 'Cryptocurrency, by BTCPay',
}

/** How somebody paid, in words. */
export const providerWords = (provider: string): string => PROVIDERS[provider] ?? provider

export const PAYMENT_WORDS: Record<PaymentState, string> = {
  pending: 'Open',
  confirming: 'Confirming',
  paid: 'Paid',
  expired: 'Ran out',
  failed: 'Failed',
  refunded: 'Refunded',
}

type Sums = Pick<Payment, 'status' | 'amount' | 'received' | 'refunded'>

const CREDIT = 'It became credit, which pays the next order or renewal.'

/** What is unusual about a payment, in a sentence; undefined where all went as it should. */
export function paymentRemark({ status, amount, received, refunded }: Sums): string | undefined {
  const asked = parseAmount(amount) ?? 0
  const came = parseAmount(received) ?? 0
  if ((parseAmount(refunded) ?? 0) > 0) return `${priceText(refunded)} was sent back.`
  if (came === 0) return undefined
  const part = `${priceText(received)} of ${priceText(amount)}`
  switch (status) {
    case 'pending':
    case 'confirming':
      return came < asked
        ? `${part} has arrived. Send the rest before the time is over.`
        : undefined
    case 'paid':
      return came > asked
        ? `${priceText(decimal(came - asked))} more than asked arrived. ${CREDIT}`
        : undefined
    case 'expired':
    case 'failed':
      return came < asked
        ? `Only ${part} arrived. ${CREDIT}`
        : `It arrived after the time to pay was over. ${CREDIT}`
    case 'refunded':
      return undefined
  }
}
