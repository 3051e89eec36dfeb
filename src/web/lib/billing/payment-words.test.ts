import { expect, test } from 'vitest'
import { paymentRemark, providerWords } from './payment-words.ts'

const payment = {
  status: 'paid',
  amount: '5.00',
  received: '5.00',
  refunded: '0.00',
  seen: '0.00',
} as const

test('a payment that fits needs no remark', () => {
  expect(paymentRemark(payment)).toBeUndefined()
  expect(paymentRemark({ ...payment, status: 'pending', received: '0.00' })).toBeUndefined()
  expect(paymentRemark({ ...payment, status: 'expired', received: '0.00' })).toBeUndefined()
})

test('a payment that does not fit is explained and never lost', () => {
  expect(paymentRemark({ ...payment, status: 'expired' })).toMatch(/^It arrived after .* credit/)
  expect(paymentRemark({ ...payment, status: 'expired', received: '2.00' })).toMatch(
    /^Only \$2\.00 of \$5\.00 arrived\. It became credit/,
  )
  expect(paymentRemark({ ...payment, received: '6.50' })).toMatch(/^\$1\.50 too much/)
  expect(paymentRemark({ ...payment, status: 'pending', received: '2.00' })).toBe(
    '$2.00 of $5.00 received, $3.00 left.',
  )
  expect(paymentRemark({ ...payment, status: 'refunded', refunded: '5.00' })).toBe(
    '$5.00 was sent back.',
  )
})

test('coins that were seen but are not final are counted and shown as on their way', () => {
  const open = { ...payment, status: 'confirming', received: '0.00' } as const
  expect(paymentRemark({ ...open, seen: '3.00' })).toBe('$3.00 of $5.00 received, $2.00 left.')
  expect(paymentRemark({ ...open, seen: '5.00' })).toBeUndefined()
  expect(paymentRemark({ ...open, seen: '7.00' })).toBe(
    '$2.00 too much. It becomes credit once it is confirmed.',
  )
  expect(paymentRemark({ ...open, status: 'expired', seen: '3.00' })).toBe(
    'Only $3.00 of $5.00 arrived. It becomes credit once it is confirmed.',
  )
  expect(paymentRemark({ ...open, status: 'expired', seen: '5.00' })).toBe(
    'It arrived after the time to pay was over. It becomes credit once it is confirmed.',
  )
})

test('a provider without its own words keeps its name', () => {
  expect(providerWords('btcpay')).toBe('Cryptocurrency, by BTCPay')
  expect(providerWords('something')).toBe('something')
})
