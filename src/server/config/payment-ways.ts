import type { Config } from './config.ts'

const COINS: readonly [method: RegExp, name: string][] = [
  [/^BTC(-CHAIN|-OnChain)?$/i, 'Bitcoin'],
  [/^BTC[-_](LN|LNURL|LightningNetwork|LNURLPAY)$/i, 'Lightning'],
  [/^XMR/i, 'Monero'],
  [/^LTC/i, 'Litecoin'],
]

type PaymentConfig = Pick<Config, 'paymentProvider' | 'btcpay'>

/** The payment methods as a visitor would name them; empty if no money moves. */
export function paymentWays({ paymentProvider, btcpay }: PaymentConfig): string[] {
  switch (paymentProvider) {
    case 'stripe':
      return ['card']
    case 'btcpay':
      return coinsOf(btcpay?.paymentMethods)
    case 'manual':
      return ['direct payment to the operator']
    case 'sandbox':
      return []
  }
}

/** A store that names no methods offers BTCPay's defaults. */
function coinsOf(methods: readonly string[] | undefined): string[] {
  const named = (methods ?? []).map(
    (method) => COINS.find(([pattern]) => pattern.test(method))?.[1] ?? method,
  )
  return named.length === 0 ? ['Bitcoin', 'Lightning'] : [...new Set(named)]
}
