import { describe, expect, test } from 'vitest'
import type { Payment } from '#shared/api/money/payments.ts'
import type { ClientOrderDetails } from '#shared/api/shop/billing.ts'
import type { ClientOrder, OrderStatus } from '#shared/api/shop/orders.ts'
import { decimal, parseAmount } from '#shared/rules/money/money.ts'
import { hasReceipt, isMoving, payUntil, stageOf } from './order-stage.ts'
import { stageWords } from './stage-words.ts'

const order = (status: OrderStatus) =>
  ({ status, kind: 'package', failure: null, payBy: null }) as ClientOrder
const payment = (received: string, refunded = '0.00') =>
  ({ received, refunded, amount: '5.00', seen: received }) as Payment
const NOW = Date.parse('2026-01-01T12:00:00.000Z')
const LATER = '2026-01-01T12:20:00.000Z'
const OVER = '2026-01-01T11:59:59.000Z'
const checkout = (
  state: string,
  expiresAt = LATER,
  seen = state === 'confirming' ? '5.00' : '0.00',
) =>
  ({
    state,
    expiresAt,
    due: '5.00',
    seen,
    left: decimal(Math.max(0, 500 - (parseAmount(seen) ?? 0))),
  }) as ClientOrderDetails['checkout']
const details = (status: OrderStatus, open: ClientOrderDetails['checkout']) =>
  ({
    order: order(status),
    serverId: null,
    jobId: null,
    checkout: open,
    payments: [],
    timeline: [],
    receipts: [],
  }) as ClientOrderDetails

describe('the stage of an order', () => {
  test.each([
    ['pending', checkout('pending'), 'paying'],
    ['pending', checkout('confirming'), 'confirming'],
    ['pending', checkout('confirming', LATER, '2.00'), 'paying'],
    ['pending', checkout('confirming', OVER, '2.00'), 'confirming'],
    ['pending', checkout('pending', OVER), 'lapsed'],
    ['pending', checkout('confirming', OVER), 'confirming'],
    ['pending', checkout('expired'), 'lapsed'],
    ['pending', null, 'lapsed'],
    ['paid', null, 'waiting'],
    ['provisioning', null, 'making'],
    ['active', null, 'done'],
    ['cancelled', null, 'cancelled'],
  ] as const)('%s with %o is %s', (status, open, stage) => {
    expect(stageOf(details(status, open), NOW)).toBe(stage)
    expect(isMoving(details(status, open))).toBe(stage !== 'done' && stage !== 'cancelled')
  })

  test('a direct payment has until the order itself ends', () => {
    const direct = { ...checkout('pending', OVER), provider: 'manual' }
    const open = details('pending', direct as ClientOrderDetails['checkout'])
    const paying = { ...open, order: { ...open.order, payBy: null } }
    expect(payUntil(paying)).toBeUndefined()
    expect(stageOf(paying, NOW)).toBe('paying')
  })

  test('an order has a receipt once money has arrived', () => {
    expect(hasReceipt({ order: order('active'), payments: [], receipts: [] })).toBe(true)
    expect(hasReceipt({ order: order('pending'), payments: [payment('0.00')], receipts: [] })).toBe(
      false,
    )
    expect(
      hasReceipt({ order: order('cancelled'), payments: [payment('2.00')], receipts: [] }),
    ).toBe(true)
  })

  test('a cancelled order says where its money is', () => {
    const words = (payments: Payment[]) =>
      stageWords('cancelled', { order: order('cancelled'), payments, checkout: null, timeline: [] })
        .text
    expect(words([{ ...payment('0.00'), seen: '5.00' }])).toMatch(/too late and is being confirmed/)
    expect(words([payment('0.00')])).toMatch(/^Nothing was paid/)
    expect(words([payment('5.00')])).toMatch(/is your credit/)
    expect(words([payment('5.00', '5.00')])).toMatch(/refunded/)
  })
})

test('a payment being confirmed says what has arrived and what happens to it', () => {
  const words = (seen: string, expiresAt = LATER) => {
    const open = details('pending', checkout('confirming', expiresAt, seen))
    return stageWords('confirming', open).text
  }
  expect(words('5.00')).toMatch(/There is nothing more to do\.$/)
  expect(words('7.00')).toMatch(/You sent \$2\.00 too much: it becomes your credit\.$/)
  expect(words('2.00', OVER)).toMatch(/^\$2\.00 of \$5\.00 received, \$3\.00 left, and the time/)
})

test('a server that was set up by hand says at once what was not done for it', () => {
  const given = { id: 1, at: LATER, action: 'order.provision', by: 'admin' as const }
  const words = (notApplied: ('hostname' | 'sshKeys')[]) =>
    stageWords('done', { ...details('active', null), timeline: [{ ...given, notApplied }] }).text
  expect(words(['hostname'])).toMatch(
    /by hand\. Not applied automatically: the hostname\. Its address/,
  )
  expect(words([])).toMatch(/^Its address/)
})
