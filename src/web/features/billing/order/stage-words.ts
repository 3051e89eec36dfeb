import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { answerWords } from '../../../lib/billing/answer-words.ts'
import { notAppliedWords } from '../../../lib/billing/not-applied.ts'
import { partWords, progressWords } from '../../../lib/billing/payment-words.ts'
import { priceText } from '../../../lib/format/price.ts'
import type { OrderStage } from './order-stage.ts'

export type StageWords = {
  title: string
  text: string
  /** Why it could not be delivered yet. */
  failure?: string
  next?: 'server' | 'watch' | 'plans'
}

type Told = Pick<ClientOrderDetails, 'order' | 'payments' | 'checkout' | 'timeline'>

/** The stage of an order, worded for its client. */
export function stageWords(
  stage: Exclude<OrderStage, 'paying'>,
  { order, payments, checkout, timeline }: Told,
): StageWords {
  const isRenewal = order.kind === 'renewal'
  switch (stage) {
    case 'confirming':
      return {
        title: confirmingTitle(checkout),
        text: confirmingText(checkout),
      }
    case 'lapsed':
      return {
        title: 'Not paid yet',
        text: 'No payment is open for this order now. Open one to go on, or cancel the order.',
      }
    case 'waiting':
      return {
        title: 'Paid',
        text: waitingFor(order),
        ...(order.failure && { failure: order.failure }),
      }
    case 'making':
      return {
        title: makingTitle(order),
        text:
          isRenewal || order.kind === 'change'
            ? 'Your payment has arrived. It takes about a minute.'
            : 'It takes about a minute.',
        next: 'watch',
      }
    case 'done':
      if (order.kind === 'top-up') {
        return {
          title: 'Your credit is there',
          text: 'It pays your next orders and renewals automatically.',
        }
      }
      if (order.kind === 'change') {
        return {
          title: 'The package is changed',
          text: 'Its size and what it costs are on the page of the server.',
          next: 'server',
        }
      }
      return {
        title: isRenewal ? 'Renewed' : 'Your server is ready',
        text: isRenewal
          ? 'The time is added. Nothing on the server changed.'
          : [
              order.answer && answerWords(order.answer),
              notAppliedWords(timeline.flatMap(({ notApplied = [] }) => notApplied)),
              'Its address and login are on your dashboard.',
            ]
              .filter(Boolean)
              .join(' '),
        next: 'server',
      }
    case 'cancelled':
      return {
        title: 'This order was cancelled',
        text: order.kind === 'change' ? 'The server has its former package.' : refundText(payments),
        ...(order.failure && { failure: order.failure }),
        next: 'plans',
      }
  }
}

function makingTitle({ kind }: ClientOrderDetails['order']): string {
  if (kind === 'renewal') return 'The time is being added'
  return kind === 'change' ? 'The package is being changed' : 'Your server is being created'
}

/** "Payment seen, 1 of 3 confirmations", where the network counts. */
function confirmingTitle(checkout: ClientOrderDetails['checkout']): string {
  const count = progressWords(checkout?.progress ?? null)
  return count === undefined ? 'Your payment is being confirmed' : `Payment seen, ${count}`
}

/** Whether the whole sum, too much or only a part has arrived. */
function confirmingText(checkout: ClientOrderDetails['checkout']): string {
  const cents = (sum: string | undefined) => parseAmount(sum ?? '') ?? 0
  if (checkout && cents(checkout.left) > 0) {
    const part = partWords(checkout.seen, checkout.due)
    return `${part}, and the time to send the rest is over. What arrived becomes your credit once it is confirmed.`
  }
  const over = cents(checkout?.seen) - cents(checkout?.due)
  const wait = 'We have seen it, but it is not final yet. Your order stays reserved.'
  return over > 0
    ? `${wait} You sent ${priceText(decimal(over))} too much: it becomes your credit.`
    : `${wait} There is nothing more to do.`
}

function waitingFor({ kind, failure }: ClientOrderDetails['order']): string {
  if (kind === 'renewal') return 'Your payment has arrived. The time is added in a moment.'
  if (!failure) return 'Your payment has arrived. Your server is created next.'
  return 'Your payment has arrived. The server could not be created automatically, so the operator sets it up by hand. You do not need to do anything.'
}

function refundText(payments: ClientOrderDetails['payments']): string {
  const has = (sum: string) => (parseAmount(sum) ?? 0) > 0
  if (payments.some(({ refunded }) => has(refunded))) {
    return 'What you paid was refunded to your original payment method.'
  }
  if (payments.some(({ received, seen }) => has(seen) && !has(received))) {
    return 'Your payment arrived too late and is being confirmed. It then becomes your credit.'
  }
  if (payments.some(({ received }) => has(received))) {
    return 'What you paid for it is your credit. It pays your next order or renewal automatically.'
  }
  return 'Nothing was paid for it. Money that still arrives becomes your credit.'
}
