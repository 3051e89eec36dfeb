import { expect, test } from 'vitest'
import { coinWays, paymentWays } from './payment-ways.ts'

const btcpay = (paymentMethods?: string[]) => ({
  paymentProviders: ['btcpay' as const],
  btcpay: { url: '', storeId: '', apiKey: '', webhookSecret: '', paymentMethods },
})
const only = (name: 'sandbox' | 'stripe' | 'manual') => ({
  paymentProviders: [name],
  btcpay: undefined,
})

test.each([
  [only('sandbox'), []],
  [only('stripe'), ['card']],
  [only('manual'), ['direct payment to the operator']],
  [btcpay(), ['Bitcoin', 'Lightning']],
  [btcpay(['BTC-CHAIN', 'BTC-LN', 'BTC-LNURL']), ['Bitcoin', 'Lightning']],
  [btcpay(['XMR-CHAIN', 'DOGE']), ['Monero', 'DOGE']],
  [
    { ...btcpay(['BTC-LN']), paymentProviders: ['stripe' as const, 'btcpay' as const] },
    ['card', 'Lightning'],
  ],
])('the payment methods of %o are named %o', (config, expected) => {
  expect(paymentWays(config)).toEqual(expected)
})

test.each([
  [['card'], ['Bitcoin', 'Lightning', 'direct payment to the operator']],
  [['bitcoin'], ['card', 'Lightning', 'direct payment to the operator']],
  [
    ['lightning', 'manual'],
    ['card', 'Bitcoin'],
  ],
  [['card', 'bitcoin', 'lightning', 'manual'], []],
])('a visitor does not read of the ways that are hidden: %o', (hidden, expected) => {
  const paymentProviders = ['stripe' as const, 'btcpay' as const, 'manual' as const]
  const config = { ...btcpay(['BTC-CHAIN', 'BTC-LN']), paymentProviders }
  expect(paymentWays(config, hidden)).toEqual(expected)
})

test.each([
  [undefined, [['bitcoin', 'Bitcoin and Lightning', undefined]]],
  [['BTC-CHAIN'], [['bitcoin', 'Bitcoin', ['BTC-CHAIN']]]],
  [
    ['BTC-LN', 'BTC-CHAIN', 'BTC-LNURL'],
    [
      ['lightning', 'Lightning', ['BTC-LN', 'BTC-LNURL']],
      ['bitcoin', 'Bitcoin', ['BTC-CHAIN']],
    ],
  ],
  [
    ['BTC-CHAIN', 'LTC-CHAIN', 'XMR-CHAIN'],
    [
      ['bitcoin', 'Bitcoin or Litecoin', ['BTC-CHAIN', 'LTC-CHAIN']],
      ['monero', 'Monero', ['XMR-CHAIN']],
    ],
  ],
])('a store with %o is paid in the ways %o', (methods, expected) => {
  expect(coinWays(methods).map(({ id, name, methods: ids }) => [id, name, ids])).toEqual(expected)
})
