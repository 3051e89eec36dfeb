import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { Receipt } from '#shared/api/shop/receipts.ts'
import { order, payment, REFUNDED_ORDER } from './order-answers.ts'

// A receipt that was taken back, of a house that says who it is.

const HOUR_MS = 3_600_000
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

const receipt = (part: Partial<Receipt>): Receipt => ({
  number: 'R-000041',
  kind: 'receipt',
  orderId: 9001,
  issuedAt: inMs(-HOUR_MS),
  seller: { name: 'Quiet Hosting Ltd', address: '1 Lane\n12345 Town', taxId: 'XX 123 456' },
  orderKind: 'package',
  what: 'Standard',
  osType: 'Debian 12',
  orderedAt: inMs(-2 * HOUR_MS),
  at: inMs(-HOUR_MS),
  amount: '12.00',
  currency: 'usd',
  months: 1,
  ...(part.kind === 'credit note'
    ? { period: null, paidBy: [], corrects: 'R-000041' }
    : {
        period: { from: inMs(-HOUR_MS), to: inMs(30 * 24 * HOUR_MS) },
        paidBy: [{ by: 'btcpay', amount: '12.00' }],
        corrects: null,
      }),
  ...part,
})

export const TAKEN_BACK: ClientOrderDetails = {
  ...REFUNDED_ORDER,
  receipts: [receipt({}), receipt({ kind: 'credit note', number: 'C-000042' })],
}

const BEING_MADE = { payBy: null, credit: '0.00' } as const

/** An order that is paid when its server answers: before, after, and if it never does. */
export const ANSWERS: Record<'making' | 'answered' | 'silent', ClientOrderDetails> = {
  making: {
    ...{ ...REFUNDED_ORDER, payments: [] },
    order: order({ ...BEING_MADE, status: 'provisioning', beganAt: inMs(-41_000) }),
  },
  answered: {
    ...{ ...REFUNDED_ORDER, payments: [] },
    order: order({
      ...{ ...BEING_MADE, status: 'active', server: 'current' },
      answer: {
        by: 'ssh',
        hostKey: 'SHA256:uNiVztksCsDhcc0u9e8BrIwJJnLOk3CpBCh2gXeJUQ4',
        at: inMs(-HOUR_MS),
      },
    }),
  },
  silent: {
    ...{ ...REFUNDED_ORDER, payments: [payment({ received: '15.00', status: 'paid' })] },
    order: order({
      ...{ ...BEING_MADE, status: 'cancelled' },
      failure: 'It did not answer in 10 minutes. Your money is back.',
    }),
  },
}
