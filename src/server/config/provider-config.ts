import { readFileSync } from 'node:fs'
import { PROVIDER_VARIABLES } from './provider-variables.ts'

type Environment = Record<string, string | undefined>

export type StripeConfig = {
  secretKey: string
  webhookSecret: string
  /** An address other than Stripe's own: an operator's proxy, or a stand-in. */
  apiUrl: string | undefined
}

export type BtcpayConfig = {
  url: string
  storeId: string
  apiKey: string
  webhookSecret: string
  /** The payment methods; unset: all that the store offers. */
  paymentMethods: string[] | undefined
}

/** Where dollars for one Monero are read: a figure of the operator's, or a JSON answer within bounds. */
export type MoneroRateConfig =
  | { fixed: string }
  | { url: string; field: readonly string[]; min: string; max: string }

export type MoneroConfig = {
  /** The address of a monero-wallet-rpc that has a view-only wallet open. */
  walletUrl: string
  /** As it was given to it by --rpc-login: user:password. */
  login: string
  rate: MoneroRateConfig
}

type Keys = { stripe: StripeConfig; btcpay: BtcpayConfig; monero: MoneroConfig }
export type KeyedProvider = keyof Keys
export type ProviderKeys = { [N in KeyedProvider]: Keys[N] | undefined }

const KEY_READERS: { [N in KeyedProvider]: (env: Environment, problems: string[]) => Keys[N] } = {
  stripe: stripeConfig,
  btcpay: btcpayConfig,
  monero: moneroConfig,
}

/** The providers that need keys. */
export const KEYED_PROVIDERS = [
  'stripe',
  'btcpay',
  'monero',
] as const satisfies readonly KeyedProvider[]

/**
 * The keys of every listed provider, and of those that are no longer listed but whose keys are
 * complete: payments that clients began there still have to be settled.
 */
export function readKeys(
  env: Environment,
  listed: readonly string[],
  problems: string[],
): ProviderKeys {
  const keysOf = <T>(name: string, read: (env: Environment, problems: string[]) => T) => {
    if (listed.includes(name)) return read(env, problems)
    const missing: string[] = []
    const left = read(env, missing)
    return missing.length === 0 ? left : undefined
  }
  return {
    stripe: keysOf('stripe', stripeConfig),
    btcpay: keysOf('btcpay', btcpayConfig),
    monero: keysOf('monero', moneroConfig),
  }
}

/** The keys of one provider, out of variables that an operator entered. */
export const keysFrom = <N extends KeyedProvider>(
  name: N,
  entered: Environment,
  problems: string[],
): Keys[N] => KEY_READERS[name](entered, problems)

export const variablesSet = (env: Environment): Record<KeyedProvider, string[]> => ({
  stripe: namesWith(env, 'STRIPE_'),
  btcpay: namesWith(env, 'BTCPAY_'),
  monero: namesWith(env, 'MONERO_'),
})

const namesWith = (env: Environment, prefix: string): string[] =>
  Object.keys(env).filter((name) => name.startsWith(prefix) && name in PROVIDER_VARIABLES)

function stripeConfig(env: Environment, problems: string[]): StripeConfig {
  return {
    secretKey: secret(env, 'STRIPE_SECRET_KEY', problems),
    webhookSecret: secret(env, 'STRIPE_WEBHOOK_SECRET', problems),
    apiUrl: env.STRIPE_API_URL,
  }
}

function btcpayConfig(env: Environment, problems: string[]): BtcpayConfig {
  return {
    url: needed(env, 'BTCPAY_URL', problems).replace(/\/+$/, ''),
    storeId: needed(env, 'BTCPAY_STORE_ID', problems),
    apiKey: secret(env, 'BTCPAY_API_KEY', problems),
    webhookSecret: secret(env, 'BTCPAY_WEBHOOK_SECRET', problems),
    paymentMethods: env.BTCPAY_PAYMENT_METHODS?.split(','),
  }
}

function moneroConfig(env: Environment, problems: string[]): MoneroConfig {
  const walletUrl = needed(env, 'MONERO_WALLET_URL', problems).replace(/\/+$/, '')
  const login = secret(env, 'MONERO_WALLET_LOGIN', problems)
  if (login !== '' && !/^[^:]+:.+$/.test(login)) {
    problems.push('MONERO_WALLET_LOGIN must be user:password, as in --rpc-login')
  }
  if (env.BTCPAY_PAYMENT_METHODS && /(^|,)XMR/i.test(env.BTCPAY_PAYMENT_METHODS)) {
    problems.push('BTCPAY_PAYMENT_METHODS names Monero, which is also taken directly: keep one')
  }
  return { walletUrl, login, rate: moneroRate(env, problems) }
}

function moneroRate(env: Environment, problems: string[]): MoneroRateConfig {
  const { MONERO_RATE: fixed, MONERO_RATE_URL: url } = env
  if (fixed !== undefined && url !== undefined) {
    problems.push('MONERO_RATE and MONERO_RATE_URL are both set: keep one')
  }
  if (fixed !== undefined) return { fixed }
  if (url === undefined) {
    problems.push('MONERO_RATE or MONERO_RATE_URL is required with PAYMENT_PROVIDER=monero')
    return { fixed: '' }
  }
  const field = needed(env, 'MONERO_RATE_FIELD', problems).split('.')
  const [min, max] = ['MONERO_RATE_MIN', 'MONERO_RATE_MAX'].map((name) =>
    needed(env, name, problems),
  ) as [string, string]
  if (Number(min) > Number(max)) problems.push('MONERO_RATE_MIN is above MONERO_RATE_MAX')
  return { url, field, min, max }
}

function needed(env: Environment, name: string, problems: string[]): string {
  const value = env[name]
  if (value === undefined) {
    problems.push(`${name} is required with PAYMENT_PROVIDER=${env.PAYMENT_PROVIDER}`)
  }
  return value ?? ''
}

/** A key, from its own variable or from a file named by the one with _FILE. */
function secret(env: Environment, name: string, problems: string[]): string {
  const path = env[`${name}_FILE`]
  if (env[name] !== undefined && path !== undefined) {
    problems.push(`${name} and ${name}_FILE are both set: keep one`)
  }
  if (path === undefined) return needed(env, name, problems)
  try {
    const value = readFileSync(path, 'utf8').trim()
    if (value === '') problems.push(`${name}_FILE is empty`)
    return value
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push(`${name}_FILE cannot be read: ${reason}`)
    return ''
  }
}
