import type { PaymentKind } from '#shared/api/money/payment-methods.ts'
import type { Config } from './config.ts'
import type { ProviderName } from './provider-list.ts'

type Coin = { method: RegExp; name: string; kind: PaymentKind }

const COINS: readonly Coin[] = [
  {
    method: /^BTC[-_](LN|LNURL|LightningNetwork|LNURLPAY)$/i,
    name: 'Lightning',
    kind: 'lightning',
  },
  { method: /^BTC(-CHAIN|-OnChain)?$/i, name: 'Bitcoin', kind: 'bitcoin' },
  { method: /^XMR/i, name: 'Monero', kind: 'monero' },
  { method: /^LTC/i, name: 'Litecoin', kind: 'bitcoin' },
]

type PaymentConfig = Pick<Config, 'paymentProviders' | 'btcpay'>

/**
 * The payment methods as a visitor would name them, without the ways that the operator hides; empty
 * if no money moves.
 */
export const paymentWays = (
  { paymentProviders, btcpay }: PaymentConfig,
  hidden: readonly string[] = [],
): string[] => [
  ...new Set(
    paymentProviders
      .flatMap((name) => visitorsWays(name, btcpay))
      .flatMap(({ id, words }) => (hidden.includes(id) ? [] : words)),
  ),
]

type VisitorsWay = { id: string; words: string[] }

function visitorsWays(name: ProviderName, btcpay: PaymentConfig['btcpay']): VisitorsWay[] {
  switch (name) {
    case 'stripe':
      return [{ id: 'card', words: ['card'] }]
    case 'btcpay':
      return coinWays(btcpay?.paymentMethods).map(({ id, methods }) => ({
        id,
        words: coinNames(methods),
      }))
    case 'monero':
      return [{ id: 'monero', words: ['Monero'] }]
    case 'manual':
      return [{ id: 'manual', words: ['direct payment to the operator'] }]
    case 'sandbox':
      return []
  }
}

const coinOf = (id: string) => COINS.find(({ method }) => method.test(id))

/** A store that names no methods offers BTCPay's defaults. */
function coinNames(methods: readonly string[] | undefined): string[] {
  const named = (methods ?? []).map((method) => coinOf(method)?.name ?? method)
  return named.length === 0 ? ['Bitcoin', 'Lightning'] : [...new Set(named)]
}

export type CoinWay = {
  id: PaymentKind
  kind: PaymentKind
  name: string
  /** The store's ids of it; undefined: all that the store offers. */
  methods: string[] | undefined
}

/**
 * The ways in which a store of BTCPay Server is paid. A store that names no methods is one way,
 * since only the store knows them; coins that are no kind of their own are paid like Bitcoin.
 */
export function coinWays(methods: readonly string[] | undefined): CoinWay[] {
  if (!methods || methods.length === 0) {
    const name = 'Bitcoin and Lightning'
    return [{ id: 'bitcoin', kind: 'bitcoin', name, methods: undefined }]
  }
  const kinds = [...new Set(methods.map((method) => coinOf(method)?.kind ?? 'bitcoin'))]
  return kinds.map((kind) => {
    const ofKind = methods.filter((method) => (coinOf(method)?.kind ?? 'bitcoin') === kind)
    return { id: kind, kind, name: coinNames(ofKind).join(' or '), methods: ofKind }
  })
}
