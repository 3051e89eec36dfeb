import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../testing/temp-folder.ts'
import { ConfigError, readConfig, VARIABLES } from './config.ts'

const SECRET = 'x'.repeat(32)

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('runs with nothing set', () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    demo: true,
    paymentProviders: ['sandbox'],
    adminEmail: 'admin@hushbox.local',
    graceDays: 7,
    isHttps: false,
  })
})

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' }).port).toBe(3000)
})

test('with PostgreSQL the demo is off unless asked for', () => {
  const env = { DATABASE_URL: 'postgres://u:p@localhost/x', SECRET_KEY: SECRET }
  expect(readConfig(env).demo).toBe(false)
  expect(readConfig({ ...env, DEMO: '1' }).demo).toBe(true)
})

test('all problems are listed at once', () => {
  const problems = problemsOf({
    PORT: '99999',
    DATABASE_URL: 'mysql://x',
    RATE_LIMIT_SCALE: '0',
    PAYMENT_PROVIDER: 'stripe',
    LOG_LEVEL: 'loud',
    GRACE_DAYS: '-1',
  })
  for (const name of [
    'PORT',
    'DATABASE_URL must',
    'SECRET_KEY (or',
    'RATE_LIMIT_SCALE 0',
    'LOG_LEVEL',
    'GRACE_DAYS',
  ]) {
    expect(problems.some((problem) => problem.startsWith(name))).toBe(true)
  }
})

test.each([
  [{ SECRET_KEY: 'short' }, 'SECRET_KEY must have'],
  [{ SECRET_KEY: SECRET, SECRET_KEY_FILE: '/x' }, 'both set'],
  [{ SECRET_KEY_FILE: '/nowhere/at/all' }, 'cannot be read'],
  [{ PAYMENT_PROVIDER: 'btcpay' }, 'does not survive a power cut'],
  [{ PAYMENT_PROVIDER: 'stripe', DEMO: '1' }, 'DEMO=1 shows invented servers'],
  [{ DEMO: 'yes' }, 'DEMO must be 0 or 1'],
  [{ PUBLIC_URL: 'ftp://x' }, 'PUBLIC_URL must be'],
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must be'],
])('%j is refused: %s', (env, sentence) => {
  expect(problemsOf(env).join('\n')).toContain(sentence)
})

test('the embedded database with real payments needs an explicit setting', () => {
  const stripe = {
    PAYMENT_PROVIDER: 'stripe',
    PUBLIC_URL: 'https://vps.example',
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  }
  expect(problemsOf({ ...stripe, EMBEDDED_DB_IS_FINE: '1' })).toEqual([])
  expect(problemsOf(stripe)).toHaveLength(1)
})

test('all missing variables of a provider are named at once', () => {
  const sentences = problemsOf({ PAYMENT_PROVIDER: 'btcpay', EMBEDDED_DB_IS_FINE: '1' }).join('\n')
  for (const name of [
    'PUBLIC_URL',
    'BTCPAY_URL',
    'BTCPAY_STORE_ID',
    'BTCPAY_API_KEY',
    'BTCPAY_WEBHOOK_SECRET',
  ]) {
    expect(sentences).toContain(`${name} is required`)
  }
})

test('a provider’s key may come from a file, but not from two places', () => {
  const file = join(tempFolder('config'), 'key')
  writeFileSync(file, 'sk_from_file\n')
  const env = {
    PAYMENT_PROVIDER: 'stripe',
    PUBLIC_URL: 'https://vps.example',
    EMBEDDED_DB_IS_FINE: '1',
    STRIPE_SECRET_KEY_FILE: file,
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  }
  expect(readConfig(env).stripe).toMatchObject({ secretKey: 'sk_from_file' })
  expect(problemsOf({ ...env, STRIPE_SECRET_KEY: 'sk' }).join()).toContain('both set')
})

test('several providers are listed in the order in which they are offered', () => {
  expect(readConfig({ PAYMENT_PROVIDER: 'manual, sandbox' }).paymentProviders).toEqual([
    'manual',
    'sandbox',
  ])
})

test.each([
  ['paypal', 'PAYMENT_PROVIDER must be one of'],
  ['manual,', 'PAYMENT_PROVIDER must be one of'],
  ['manual,manual', 'PAYMENT_PROVIDER names a provider twice'],
  ['sandbox,stripe', 'gives servers away'],
  ['manual,stripe', 'PUBLIC_URL is required'],
])('the list of providers %s is refused with "%s"', (PAYMENT_PROVIDER, sentence) => {
  expect(problemsOf({ PAYMENT_PROVIDER }).join('\n')).toContain(sentence)
})

test('the keys of a provider that is no longer listed are kept where they are complete', () => {
  const keys = { STRIPE_SECRET_KEY: 'sk_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  expect(readConfig(keys).stripe).toMatchObject({ secretKey: 'sk_1' })
  expect(readConfig({ STRIPE_SECRET_KEY: 'sk_1' }).stripe).toBeUndefined()
})

test('the key may come from a file', () => {
  const file = join(tempFolder('config'), 'key')
  writeFileSync(file, `${SECRET}\n`)
  expect(readConfig({ SECRET_KEY_FILE: file }).secretKey).toBe(SECRET)
})

test('https makes the cookies secure', () => {
  expect(readConfig({ PUBLIC_URL: 'https://vps.example/' })).toMatchObject({
    isHttps: true,
    publicUrl: 'https://vps.example',
  })
})

test('.env.example names every variable, and is itself a working configuration', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../.env.example'), 'utf8')
  const lines = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  expect(lines.map(([name]) => name).toSorted()).toEqual(VARIABLES.toSorted())
  expect(() => readConfig(Object.fromEntries(lines))).not.toThrow()
})

test('sharing the work between processes needs PostgreSQL, and no simulated cluster', () => {
  expect(problemsOf({ MODE: 'web' })).toEqual([
    'MODE=web shares the work between processes: that needs DATABASE_URL',
  ])
  const env = { DATABASE_URL: 'postgres://u:p@localhost/x', SECRET_KEY: SECRET }
  expect(readConfig({ ...env, MODE: 'worker' }).mode).toBe('worker')
  expect(problemsOf({ ...env, MODE: 'worker', DEMO: '1' })).toEqual([
    'DEMO=1 keeps its pretend cluster inside one process: that needs MODE=all',
  ])
  expect(readConfig({}).mode).toBe('all')
})
