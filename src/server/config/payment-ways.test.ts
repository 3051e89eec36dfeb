import { expect, test } from 'vitest'
import { paymentWays } from './payment-ways.ts'

const btcpay = (paymentMethods?: string[]) => ({
  paymentProvider: 'btcpay' as const,
  btcpay: { url: '', storeId: '', apiKey: '', webhookSecret: '', paymentMethods },
})

test.each([
  [{ paymentProvider: 'sandbox' as const, btcpay: undefined }, []],
  [{ paymentProvider: 'stripe' as const, btcpay: undefined }, ['card']],
  [{ paymentProvider: 'manual' as const, btcpay: undefined }, ['direct payment to the operator']],
  [btcpay(), ['Bitcoin', 'Lightning']],
  [btcpay(['BTC-CHAIN', 'BTC-LN', 'BTC-LNURL']), ['Bitcoin', 'Lightning']],
  [btcpay(['XMR-CHAIN', 'DOGE']), ['Monero', 'DOGE']],
])('the payment methods of %o are named %o', (config, expected) => {
  expect(paymentWays(config)).toEqual(expected)
})
