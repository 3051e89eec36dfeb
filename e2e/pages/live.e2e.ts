import { startPostgres, type TestPostgres } from '../../src/server/testing/postgres.ts'
import {
  ADMIN,
  type ServerProcess,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { test as base, expect } from '../house/fixtures.ts'

type Pair = { postgres: TestPostgres; here: ServerProcess; there: ServerProcess }

/** Two server processes on one PostgreSQL; the browser uses the second. */
const test = base.extend<{ pair: Pair }>({
  pair: async ({}, use) => {
    const postgres = await startPostgres()
    const env = {
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a key for two processes, long enough',
    }
    const here = await startProcess(env)
    const there = await startProcess(env)
    await use({ postgres, here, there })
    await Promise.all([here.stop(), there.stop()])
    await postgres.stop()
  },
})

test('a change made while a page opens its stream shows on that page', async ({
  page,
  server,
  signInAsAdmin,
}) => {
  await signInAsAdmin()
  // The list is read, and the stream is not open yet: the server cannot tell this page.
  const isRead = Promise.withResolvers<void>()
  await page.route('**/api/events*', async (route) => {
    await isRead.promise
    await route.continue()
  })
  await page.goto('/users')
  await expect(page.getByRole('table', { name: 'System Users' })).toBeVisible()
  const call = await signIn(server.url)
  const reply = await call('/api/users', {
    method: 'POST',
    body: JSON.stringify({ email: 'meanwhile@example.test' }),
  })
  expect(reply.status).toBe(201)
  await expect(page.getByText('meanwhile@example.test')).toHaveCount(0)
  isRead.resolve()
  await expect(page.getByText('meanwhile@example.test').first()).toBeVisible()
})

test('a change in one process shows at once in a browser connected to the other', async ({
  browser,
  pair,
}) => {
  const context = await browser.newContext({ baseURL: pair.there.url })
  const page = await context.newPage()
  await page.goto('/login')
  await page.getByLabel(/username or e-?mail/i).fill(ADMIN.email)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('link', { name: 'System Users' }).click()
  await expect(page.getByText('1 account', { exact: true })).toBeVisible()

  const call = await signIn(pair.here.url)
  const reply = await call('/api/users', {
    method: 'POST',
    body: JSON.stringify({ email: 'elsewhere@example.test' }),
  })
  expect(reply.status).toBe(201)
  await expect(page.getByText('elsewhere@example.test').first()).toBeVisible()
  await context.close()
})
