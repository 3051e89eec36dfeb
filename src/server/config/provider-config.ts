import { readFileSync } from 'node:fs'

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

export function stripeConfig(env: Environment, problems: string[]): StripeConfig {
  return {
    secretKey: secret(env, 'STRIPE_SECRET_KEY', problems),
    webhookSecret: secret(env, 'STRIPE_WEBHOOK_SECRET', problems),
    apiUrl: env.STRIPE_API_URL,
  }
}

export function btcpayConfig(env: Environment, problems: string[]): BtcpayConfig {
  return {
    url: needed(env, 'BTCPAY_URL', problems).replace(/\/+$/, ''),
    storeId: needed(env, 'BTCPAY_STORE_ID', problems),
    apiKey: secret(env, 'BTCPAY_API_KEY', problems),
    webhookSecret: secret(env, 'BTCPAY_WEBHOOK_SECRET', problems),
    paymentMethods: env.BTCPAY_PAYMENT_METHODS?.split(','),
  }
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
