import type { KeyedProvider, ProviderKeys } from '../../config/provider-config.ts'
import { KEYED_PROVIDERS } from '../../config/provider-config.ts'
import type { ProviderName } from '../../config/provider-list.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { PaymentProvider } from '../port/payment-provider.ts'
import type { Recurring } from '../port/recurring.ts'
import { btcpayProvider } from '../providers/btcpay.ts'
import { manual } from '../providers/manual.ts'
import { moneroProvider } from '../providers/monero/monero.ts'
import { sandbox } from '../providers/sandbox.ts'
import { stripeProvider } from '../providers/stripe.ts'
import { stripeSubscriptions } from '../providers/stripe-subscriptions.ts'
import { closedProvider } from './closed-provider.ts'
import { type ChoiceConfig, chooseProviders, type ProviderChoice } from './provider-choice.ts'
import { type ProviderRows, readProviderRows } from './provider-rows.ts'

export type ProviderSet = {
  /** Those that new payments may use, in the order in which they are offered. */
  offered: readonly PaymentProvider[]
  /** Also those that are no longer offered, as long as their keys are here. */
  all: readonly PaymentProvider[]
  named(name: string): PaymentProvider | undefined
  /** Charges without the client; undefined without the keys of Stripe. */
  recurring: Recurring | undefined
}

export type Providers = {
  /** The payment providers as they are set up now; an operator may change them at any time. */
  now(tx: Db): Promise<ProviderSet>
}

type Needs = Pick<Deps, 'db' | 'clock' | 'log' | 'keyring'>

/** The payment providers of this installation. */
export function createProviders(config: ChoiceConfig, deps: Needs): Providers {
  let last: { of: string; set: ProviderSet } | undefined
  return {
    async now(tx) {
      const rows = await readProviderRows(tx, deps.keyring)
      const of = JSON.stringify([...rows].map(([name, { sealed }]) => [name, sealed]))
      if (last?.of !== of) last = { of, set: toSet(config, rows, deps) }
      return last.set
    },
  }
}

/** One provider with these keys, whether they are stored or only entered. */
export function providerWith(keys: Partial<ProviderKeys>, deps: Omit<Needs, 'keyring'>) {
  const { stripe, btcpay, monero } = keys
  return {
    ...(stripe && { stripe: stripeProvider(stripe, deps.clock) }),
    ...(btcpay && { btcpay: btcpayProvider(btcpay, deps.clock) }),
    ...(monero && { monero: moneroProvider(monero, deps) }),
  } satisfies Partial<Record<KeyedProvider, PaymentProvider>>
}

function toSet(config: ChoiceConfig, rows: ProviderRows, deps: Needs): ProviderSet {
  const choice = chooseProviders(config, rows)
  const known: Partial<Record<ProviderName, PaymentProvider>> = {
    manual,
    ...providerWith(choice, deps),
    ...closedOnes(choice),
    ...(config.paymentProviders.includes('sandbox') && { sandbox }),
  }
  const all = Object.values(known)
  return {
    offered: choice.offered.flatMap((name) => known[name] ?? []),
    all,
    named: (name) => all.find((provider) => provider.name === name),
    recurring: choice.stripe && stripeSubscriptions(choice.stripe),
  }
}

const closedOnes = (choice: ProviderChoice): Partial<Record<KeyedProvider, PaymentProvider>> =>
  Object.fromEntries(
    KEYED_PROVIDERS.flatMap((name) => {
      const problem = choice[name] ? undefined : choice.problems[name]
      return problem === undefined ? [] : [[name, closedProvider(name, problem)]]
    }),
  )
