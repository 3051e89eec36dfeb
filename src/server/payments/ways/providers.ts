import type { Config } from '../../config/config.ts'
import type { ProviderName } from '../../config/provider-list.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { PaymentProvider } from '../port/payment-provider.ts'
import { btcpayProvider } from '../providers/btcpay.ts'
import { manual } from '../providers/manual.ts'
import { moneroProvider } from '../providers/monero/monero.ts'
import { sandbox } from '../providers/sandbox.ts'
import { stripeProvider } from '../providers/stripe.ts'

type Chosen = Pick<Config, 'paymentProviders' | 'stripe' | 'btcpay' | 'monero'>

export type Providers = {
  /** Those that new payments may use, in the order in which they are offered. */
  offered: readonly PaymentProvider[]
  /** Also those that are no longer offered, as long as their keys are here. */
  all: readonly PaymentProvider[]
  named(name: string): PaymentProvider | undefined
}

/** The payment providers of this installation. */
export function createProviders(
  { paymentProviders, stripe, btcpay, monero }: Chosen,
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
): Providers {
  const known: Partial<Record<ProviderName, PaymentProvider>> = {
    manual,
    ...(stripe && { stripe: stripeProvider(stripe, deps.clock) }),
    ...(btcpay && { btcpay: btcpayProvider(btcpay, deps.clock) }),
    ...(monero && { monero: moneroProvider(monero, deps) }),
    ...(paymentProviders.includes('sandbox') && { sandbox }),
  }
  const all = Object.values(known)
  return {
    offered: paymentProviders.flatMap((name) => known[name] ?? []),
    all,
    named: (name) => all.find((provider) => provider.name === name),
  }
}
