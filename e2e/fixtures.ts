import AxeBuilder from '@axe-core/playwright'
import { test as base, chromium, expect, type Page } from '@playwright/test'
import { ADMIN, type ServerProcess, startProcess } from '../src/server/testing/server-process.ts'
import { chromiumPath, QUIET } from './browser.ts'

type WorkerFixtures = { server: ServerProcess }
type TestFixtures = {
  /** Signs in by the form. */
  signIn: (name: string, password: string) => Promise<void>
  signInAsAdmin: () => Promise<void>
  /** No violation of WCAG on what is shown now. */
  axe: () => Promise<void>
}

/** Every test: nothing asked of another origin, no CSP violation, no error in the page. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    async ({}, use) => {
      const server = await startProcess()
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  browser: [
    async ({}, use) => {
      const browser = await chromium.launch({ executablePath: await chromiumPath(), args: QUIET })
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  page: async ({ page, server, context }, use) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
    const faults = watch(page, server.url)
    await use(page)
    expect(faults).toEqual([])
  },
  signIn: async ({ page }, use) => {
    await use(async (name, password) => {
      await page.goto('/login')
      await page.getByLabel(/username or e-?mail/i).fill(name)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign In' }).click()
      await expect(page.getByRole('button', { name: /log ?out/i }).first()).toBeVisible()
    })
  },
  signInAsAdmin: async ({ signIn }, use) => {
    await use(() => signIn(ADMIN.email, ADMIN.password))
  },
  axe: async ({ page }, use) => {
    await use(async () => {
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => ({ id, html: nodes[0]?.html }))).toEqual([])
    })
  },
})

export { expect }

function watch(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) faults.push(`off origin: ${url}`)
  })
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text())
  })
  return faults
}
