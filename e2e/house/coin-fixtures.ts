import {
  type BtcpayStandIn,
  startBtcpay,
} from '../../src/server/payments/testing/btcpay-stand-in.ts'
import { startShop } from './coin-shop.ts'
import { test as base } from './fixtures.ts'

/** A server that takes coins, with these variables, and its BTCPay Server. */
export const coinTest = (env: Record<string, string> = {}) =>
  base.extend<Record<never, never>, { btcpay: BtcpayStandIn }>({
    btcpay: [
      async ({}, use) => {
        const btcpay = await startBtcpay()
        await use(btcpay)
        await btcpay.close()
      },
      { scope: 'worker' },
    ],
    server: [
      async ({ btcpay }, use) => {
        const shop = await startShop({ ...btcpay.env, ...env })
        btcpay.deliverTo(`${shop.url}/api/webhooks/btcpay`)
        await use(shop)
        await shop.stop()
      },
      { scope: 'worker', timeout: 180_000 },
    ],
  })

/** Coins in two ways, and direct payments. */
export const SEVERAL_WAYS = {
  PAYMENT_PROVIDER: 'btcpay,manual',
  BTCPAY_PAYMENT_METHODS: 'BTC-LN,BTC-CHAIN',
}
