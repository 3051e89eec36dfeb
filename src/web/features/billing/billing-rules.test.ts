import { describe, expect, test } from 'vitest'
import type { Payment } from '#shared/api/money/payments.ts'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import {
  creditRenewable,
  creditRenewalWords,
  lastsWords,
  renewable,
  subscriptionWords,
  tellingPayments,
} from './billing-rules.ts'

test('an unpaid attempt is shown only while its order waits', () => {
  const orders = [
    { id: 1, status: 'pending' },
    { id: 2, status: 'cancelled' },
  ] as ClientOrder[]
  const attempt = (orderId: number, seen = '0.00') =>
    ({ orderId, seen, status: 'pending' }) as Payment
  const shown = tellingPayments({ orders, payments: [attempt(1), attempt(2), attempt(2, '1.00')] })
  expect(shown).toEqual([attempt(1), attempt(2, '1.00')])
})

describe('automatic renewal', () => {
  const token = (id: number, more = {}) =>
    ({ id, status: 'assigned', monthlyPrice: '5.00', ...more }) as ClientToken
  const subscription = {
    id: 1,
    tokenId: 1,
    status: 'active',
    currentPeriodEnd: '2026-12-01T12:00:00.000Z',
    cancelAtPeriodEnd: false,
  }

  test('is offered for a paid server of the client that does not renew itself yet', () => {
    const tokens = [
      token(1),
      token(2),
      token(3, { monthlyPrice: '0.00' }),
      token(4, { status: 'expired' }),
    ]
    expect(renewable(tokens, [subscription]).map(({ id }) => id)).toEqual([2])
    expect(renewable(tokens, [{ ...subscription, status: 'canceled' }])).toHaveLength(2)
  })

  test('describes what comes next', () => {
    expect(subscriptionWords(subscription)).toBe('On. Charged next on Dec 1, 2026.')
    expect(subscriptionWords({ ...subscription, cancelAtPeriodEnd: true })).toBe(
      'Off. Paid until Dec 1, 2026.',
    )
    expect(subscriptionWords({ ...subscription, status: 'past_due' })).toMatch(/failed/)
  })
})

describe('renewal from credit', () => {
  const token = (id: number, more = {}) =>
    ({ id, status: 'assigned', monthlyPrice: '5.00', autoRenew: false, ...more }) as ClientToken

  test('is offered for every paid server that no card renews, also in its grace period', () => {
    const tokens = [
      token(1),
      token(2, { status: 'expired' }),
      token(3, { monthlyPrice: '0.00' }),
      token(4, { status: 'pending' }),
      token(5, { autoRenew: true }),
    ]
    expect(creditRenewable(tokens, []).map(({ id }) => id)).toEqual([1, 2, 5])
    expect(renewable(tokens, []).map(({ id }) => id)).toEqual([1])
  })

  test('says when it comes next, and why it does not', () => {
    const on = { autoRenew: true, expiresAt: '2026-12-10T12:00:00.000Z', suspended: null }
    expect(creditRenewalWords(on)).toBe('Renewed on Dec 7, 2026.')
    expect(creditRenewalWords({ ...on, autoRenew: false })).toBe('Ends Dec 10, 2026.')
    const suspended = { reason: 'Abuse', since: '2026-12-01T12:00:00.000Z' }
    expect(creditRenewalWords({ ...on, suspended })).toMatch(/^Suspended/)
  })

  test('names what is missing only where it is soon', () => {
    const end = { until: '2027-03-04T12:00:00.000Z', name: 'web', missing: '3.00' }
    expect(lastsWords(end, Date.parse('2026-12-01T00:00:00Z'))).toEqual({
      text: 'Your credit lasts until Mar 4, 2027.',
      isSoon: false,
    })
    expect(lastsWords(end, Date.parse('2027-03-01T00:00:00Z'))).toEqual({
      text: 'Your credit lasts until Mar 4, 2027. Add $3.00 to renew web once more.',
      isSoon: true,
    })
  })
})
