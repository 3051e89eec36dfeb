import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSecretKey } from '../../src/server/config/secret-key.ts'
import { openDatabase } from '../../src/server/db/connect/open.ts'
import { clusters } from '../../src/server/db/schema/infrastructure.ts'
import { tokens } from '../../src/server/db/schema/stock.ts'
import { startBtcpay } from '../../src/server/payments/testing/btcpay-stand-in.ts'
import { startStripe } from '../../src/server/payments/testing/stripe-stand-in.ts'
import { createKeyring } from '../../src/server/secrets/keyring.ts'
import { clusterPassword, tokenPassword } from '../../src/server/secrets/sealed-columns.ts'
import { freePort } from '../../src/server/testing/free-port.ts'
import {
  removeFolder,
  runCommand,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'

const CANARY = {
  user: 'canary-user-8f3a1c',
  wrong: 'canary-wrong-77d0e2',
  vm: 'canary-vm-51b9aa',
  cluster: 'canary-cluster-c04de7',
  device: 'ca:4a:59:de:ad:01',
}
const WEB_ROOT = join(import.meta.dirname, '../../dist/web')

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Where a planted secret appears in plain text. */
function leaks(
  places: Record<string, Buffer | string>,
  planted: Record<string, string> = CANARY,
): string[] {
  return Object.entries(places).flatMap(([place, content]) =>
    Object.entries(planted)
      .filter(([, secret]) => content.includes(secret))
      .map(([name]) => `${name} in ${place}`),
  )
}

/** Seals and stores, as the forms do. */
async function plantMachines(dataDir: string): Promise<void> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, () => undefined)
  const keyring = createKeyring(loadSecretKey({ secretKey: undefined, dataDir }))
  await database.db.insert(clusters).values({
    uid: 'canary',
    name: 'Canary',
    host: '192.0.2.1',
    username: 'root@pam',
    password: keyring.seal(clusterPassword('canary'), CANARY.cluster),
  })
  await database.db.insert(tokens).values({
    tokenId: 'canary',
    name: 'Canary',
    username: 'root',
    password: keyring.seal(tokenPassword('canary'), CANARY.vm),
    osType: 'Debian 12',
  })
  await database.close()
}

test('planted secrets are nowhere in plain text: not in files, logs, answers, pages or bundles', async () => {
  const env = { LOG_LEVEL: 'trace', DEMO: '0' }
  const first = await startProcess(env)
  await first.stop()
  await plantMachines(first.dataDir)

  const server = await startProcess(env, first.dataDir)
  const call = await signIn(server.url)
  const answers: string[] = []
  const send = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const reply = await call(path, init)
    const text = await reply.text()
    answers.push(text)
    return text
  }
  await send('POST', '/api/admin/users', {
    firstName: 'Ada',
    lastName: 'Byron',
    email: 'canary@example.test',
    mobileNumber: '0123456789',
    password: CANARY.user,
    agreedToTerms: true,
  })
  await send('POST', '/api/auth/login', {
    username: 'canary@example.test',
    password: CANARY.wrong,
  })
  await send('POST', '/api/auth/login', { username: 7, password: CANARY.wrong })
  await send('POST', '/api/auth/register', {
    agreedToTerms: true,
    deviceMacAddress: CANARY.device,
  })
  await send('POST', '/api/account/password', {
    currentPassword: CANARY.wrong,
    newPassword: CANARY.user,
  })
  for (const path of ['/api/admin/users', '/api/admin/audit', '/api/clusters', '/metrics', '/']) {
    await send('GET', path)
  }
  const { username, generatedPassword } = JSON.parse(
    await send('POST', '/api/users', { email: 'shown-once@example.test' }),
  ) as Record<string, string>
  expect(username).toBeDefined()
  await server.stop()

  const places: Record<string, Buffer | string> = { log: server.output() }
  for (const file of filesIn(first.dataDir)) places[file] = readFileSync(file)
  for (const file of filesIn(WEB_ROOT)) places[file] = readFileSync(file)
  for (const [index, answer] of answers.entries()) places[`answer ${index}`] = answer
  expect(Object.keys(places).length).toBeGreaterThan(50)
  expect(leaks(places)).toEqual([])
  const password = generatedPassword ?? ''
  expect(password).not.toBe('')
  for (const [place, content] of Object.entries(places)) {
    if (!place.startsWith('answer')) expect(content.includes(password), place).toBe(false)
  }
  removeFolder(first.dataDir)
})

const KEYS = { key: 'sk_live_canary-0b7e91', secret: 'whsec_canary-5d23c8' }
const REAL_MONEY = {
  LOG_LEVEL: 'trace',
  DEMO: '0',
  EMBEDDED_DB_IS_FINE: '1',
  RATE_LIMIT_SCALE: '9999',
}

const PROVIDERS = [
  {
    name: 'stripe',
    header: 'stripe-signature',
    start: () => startStripe({ secretKey: KEYS.key, webhookSecret: KEYS.secret }),
  },
  {
    name: 'btcpay',
    header: 'btcpay-sig',
    start: () => startBtcpay({ apiKey: KEYS.key, webhookSecret: KEYS.secret }),
  },
]

test.each(PROVIDERS)('the keys of $name are nowhere in plain text', async ({ name, ...how }) => {
  const provider = await how.start()
  const port = String(await freePort())
  const env = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` }
  const server = await startProcess({ ...REAL_MONEY, ...provider.env, ...env })
  const call = await signIn(server.url)
  const answers: string[] = []
  const send = async (path: string, init: RequestInit = {}) => {
    const reply = await call(path, init)
    answers.push(JSON.stringify([...reply.headers]), await reply.text())
    return reply.status
  }
  const check = () => send('/api/payments/test', { method: 'POST' })
  expect(await check()).toBe(200)
  // It refuses our key, and quotes it; then the provider is unreachable.
  provider.faults.refusesKey = true
  expect(await check()).toBe(503)
  provider.faults.isAway = true
  expect(await check()).toBe(503)
  const forged = { method: 'POST', body: '{}', headers: { [how.header]: 't=1,v1=00,sha256=00' } }
  expect(await send(`/api/webhooks/${name}`, forged)).toBe(401)
  for (const path of ['/api/payments/status', '/api/billing-plans', '/metrics', '/']) {
    expect(await send(path)).toBeLessThan(500)
  }
  await server.stop()
  await provider.close()

  expect(provider.asked.length).toBeGreaterThan(1)
  const places: Record<string, Buffer | string> = { log: server.output() }
  for (const file of filesIn(server.dataDir)) places[file] = readFileSync(file)
  for (const [index, answer] of answers.entries()) places[`answer ${index}`] = answer
  expect(server.output()).toContain('PAYMENT_UNAVAILABLE')
  expect(leaks(places, KEYS)).toEqual([])
  removeFolder(server.dataDir)
})

test.each(PROVIDERS)(
  'the keys of $name that were entered on the page are nowhere in plain text',
  async ({ name, start }) => {
    const provider = await start()
    const { PAYMENT_PROVIDER: _, ...fields } = provider.env
    const port = String(await freePort())
    const server = await startProcess({
      ...REAL_MONEY,
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    })
    const call = await signIn(server.url)
    const answers: string[] = []
    const send = async (method: string, path: string, body?: object) => {
      const reply = await call(path, { method, ...(body && { body: JSON.stringify(body) }) })
      answers.push(JSON.stringify([...reply.headers]), await reply.text())
      return reply.status
    }
    const path = `/api/payments/providers/${name}`
    provider.faults.refusesKey = true
    expect(await send('PUT', `${path}/keys`, { fields })).toBe(503)
    provider.faults.refusesKey = false
    expect(await send('PUT', `${path}/keys`, { fields })).toBe(200)
    expect(await send('PUT', `${path}/keys`, { fields: { ...fields, BTCPAY_STORE_ID: '' } })).toBe(
      name === 'btcpay' ? 400 : 200,
    )
    for (const read of [
      '/api/payments/providers',
      '/api/payments/status',
      '/api/admin/audit',
      '/',
    ]) {
      expect(await send('GET', read)).toBe(200)
    }
    const backup = join(server.dataDir, 'canary.backup')
    await runCommand('backup', [backup], { DATA_DIR: server.dataDir })
    await server.stop()
    await provider.close()

    const places: Record<string, Buffer | string> = { log: server.output() }
    for (const file of filesIn(server.dataDir)) places[file] = readFileSync(file)
    for (const [index, answer] of answers.entries()) places[`answer ${index}`] = answer
    expect(Object.keys(places)).toContain(backup)
    expect(server.output()).toContain('PAYMENT_UNAVAILABLE')
    expect(leaks(places, KEYS)).toEqual([])
    removeFolder(server.dataDir)
  },
)
