import { z } from 'zod'

const PAYMENT_PROVIDERS = ['sandbox', 'manual', 'stripe', 'btcpay', 'monero'] as const
export type ProviderName = (typeof PAYMENT_PROVIDERS)[number]

/** Providers that move money without an operator. */
export const takesMoney = (name: string): boolean => ['stripe', 'btcpay', 'monero'].includes(name)

/** One provider, or several separated by commas, in the order in which they are offered. */
export const providerList = z.string().transform((text, context): ProviderName[] => {
  const names = text.split(',').map((name) => name.trim())
  const known = names.flatMap((name) => PAYMENT_PROVIDERS.find((one) => one === name) ?? [])
  const problem = listProblem(names, known)
  if (problem === undefined) return known
  context.addIssue({ code: 'custom', message: problem })
  return z.NEVER
})

function listProblem(names: readonly string[], known: readonly ProviderName[]): string | undefined {
  const list = PAYMENT_PROVIDERS.join(', ')
  if (known.length < names.length) return `must be one of ${list}, or several, comma-separated`
  if (new Set(known).size < known.length) return 'names a provider twice'
  if (!known.includes('sandbox') || !known.some(takesMoney)) return undefined
  return 'has sandbox, which gives servers away, beside a provider that takes real money'
}

/** What must be different before real money is taken, each a sentence that names the variable. */
export function realMoneyProblems(env: Record<string, string | undefined>): string[] {
  const problems: string[] = []
  if (Number(env.RATE_LIMIT_SCALE ?? 1) === 0) {
    problems.push('RATE_LIMIT_SCALE 0 turns the limits off: not with a real payment provider')
  }
  if (!env.DATABASE_URL && env.EMBEDDED_DB_IS_FINE !== '1') {
    problems.push(
      'Real payments need more than the embedded database, which does not survive a power cut: ' +
        'set DATABASE_URL to a PostgreSQL, or EMBEDDED_DB_IS_FINE=1 if you accept the loss',
    )
  }
  if (!env.PUBLIC_URL) {
    problems.push('PUBLIC_URL is required with a real payment provider: clients come back to it')
  }
  if (env.DEMO === '1') {
    problems.push('DEMO=1 shows invented servers: set DEMO=0 with a real payment provider')
  }
  return problems
}
