import { SETTABLE_PROVIDERS, type SettableProvider } from '#shared/rules/money/provider-fields.ts'
import type { Config } from '../../config/config.ts'
import {
  KEYED_PROVIDERS,
  type KeyedProvider,
  type ProviderKeys,
} from '../../config/provider-config.ts'
import type { ProviderName } from '../../config/provider-list.ts'
import { judgeKeys } from './entered-keys.ts'
import { type ProviderRows, rowOf } from './provider-rows.ts'

export type ChoiceConfig = Pick<
  Config,
  'paymentProviders' | 'providerVariables' | 'realMoneyProblems' | KeyedProvider
>

/** Which providers there are, out of the environment and of what the operator entered. */
export type ProviderChoice = ProviderKeys & {
  /** Those that new payments may use, in their usual order. */
  offered: readonly ProviderName[]
  /** Why one that is set up is not offered. */
  problems: Partial<Record<SettableProvider, string>>
}

type Found<N extends KeyedProvider> = { keys?: ProviderKeys[N]; problem?: string }

export function chooseProviders(config: ChoiceConfig, rows: ProviderRows): ProviderChoice {
  const found = {
    stripe: keysOf('stripe', config, rows),
    btcpay: keysOf('btcpay', config, rows),
    monero: keysOf('monero', config, rows),
  }
  const problems: ProviderChoice['problems'] = {}
  const hasRealKeys = KEYED_PROVIDERS.some((name) => rows.has(name))
  // An installation that real keys were entered into gives no servers away, whatever became of them.
  const listed = config.paymentProviders.filter((name) => name !== 'sandbox' || !hasRealKeys)
  for (const name of KEYED_PROVIDERS) {
    const problem = found[name].problem ?? (isOn(rows, name) && config.realMoneyProblems[0])
    if (problem && !listed.includes(name)) problems[name] = problem
  }
  const turnedOn = SETTABLE_PROVIDERS.filter(
    (name) =>
      !listed.includes(name) &&
      isOn(rows, name) &&
      problems[name] === undefined &&
      (name === 'manual' || found[name].keys !== undefined),
  )
  return {
    stripe: found.stripe.keys,
    btcpay: found.btcpay.keys,
    monero: found.monero.keys,
    offered: [...listed, ...turnedOn],
    problems,
  }
}

const isOn = (rows: ProviderRows, name: SettableProvider): boolean =>
  rowOf(rows, name)?.isOn ?? false

/**
 * The environment wins, and wins whole: a key of the environment is never sent to an address that
 * was entered on the page.
 */
function keysOf<N extends KeyedProvider>(
  name: N,
  config: ChoiceConfig,
  rows: ProviderRows,
): Found<N> {
  const stored = rows.get(name)
  const variables = config.providerVariables[name]
  if (variables.length > 0) {
    const keys: ProviderKeys[N] = config[name]
    if (keys !== undefined || !stored) return { keys }
    const problem = `The environment sets ${variables.join(', ')}, but not all that is needed. Set the rest there too, or take them out to enter everything here.`
    return { problem }
  }
  if (stored && 'unreadable' in stored) return { problem: stored.unreadable }
  const fields = rowOf(rows, name)?.fields
  if (!fields) return {}
  const { keys, problems } = judgeKeys(name, fields)
  const [first] = problems
  return first ? { problem: `${first.message}. Enter the keys again.` } : { keys }
}
