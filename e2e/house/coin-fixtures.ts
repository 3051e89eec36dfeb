import {
  type BtcpayStandIn,
  startBtcpay,
} from '../../src/server/payments/testing/btcpay-stand-in.ts'
import { startShop } from './coin-shop.ts'
import { test as base } from './fixtures.ts'

type Env = Record<string, string>

/** A server with these variables, and a BTCPay Server. */
const beside = (envFor: (btcpay: BtcpayStandIn) => Env) =>
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
        const shop = await startShop(envFor(btcpay))
        btcpay.deliverTo(`${shop.url}/api/webhooks/btcpay`)
        await use(shop)
        await shop.stop()
      },
      { scope: 'worker', timeout: 180_000 },
    ],
  })

/** It takes coins. */
export const coinTest = (env: Env = {}) => beside((btcpay) => ({ ...btcpay.env, ...env }))

/** It takes direct payments only, until its operator enters the keys of a provider. */
export const keylessTest = () => beside(() => ({ PAYMENT_PROVIDER: 'manual', DEMO: '0' }))

/** Coins in two ways, and direct payments. */
export const SEVERAL_WAYS = {
  PAYMENT_PROVIDER: 'btcpay,manual',
  BTCPAY_PAYMENT_METHODS: 'BTC-LN,BTC-CHAIN',
}
