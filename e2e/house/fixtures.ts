import AxeBuilder from '@axe-core/playwright'
import {
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  chromium,
  expect,
  type Page,
} from '@playwright/test'
import {
  removeFolder,
  type ServerProcess,
  startProcess,
} from '../../src/server/testing/server-process.ts'
import { type LeakWatch, leakWatch } from '../acts/leaks.ts'
import { admin, createPeople, OPERATOR, type People } from '../acts/people.ts'
import { recordTexts } from '../pictures/seen-texts.ts'
import { chromiumPath, QUIET } from './browser.ts'

type WorkerFixtures = { server: Pick<ServerProcess, 'url'>; people: People; leaks: LeakWatch }
type TestFixtures = {
  /** What must not happen in any browser of a test; checked when the test ends. */
  faults: string[]
  /** A separate browser, as another person or another device would have. */
  elsewhere: (options?: BrowserContextOptions) => Promise<Page>
  /** Signs in through the form. */
  signIn: (name: string, password: string) => Promise<void>
  signInAsAdmin: () => Promise<void>
  /** Expects no violation of WCAG on the current page; with names, of these rules only. */
  axe: (rules?: string[]) => Promise<void>
}

/** Tasks of the simulated cluster take a tenth of their time. */
export const FAST_DEMO = { DEMO_TASK_MS: '100' }
/** For starting a server, its demo or a browser on a busy machine. */
const STARTING_MS = 180_000

/**
 * Every test: no request to another origin, no CSP violation, no error in the page, and no data of
 * the cluster in any browser but an administrator's.
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [serveDemo, { scope: 'worker', timeout: STARTING_MS }],
  people: [
    async ({ server }, use) => use(await createPeople(server.url)),
    { scope: 'worker', timeout: STARTING_MS, auto: true },
  ],
  leaks: [async ({ server }, use) => use(leakWatch(server.url)), { scope: 'worker' }],
  browser: [
    async ({}, use) => {
      const browser = await chromium.launch({ executablePath: chromiumPath(), args: QUIET })
      await use(browser)
      await browser.close()
    },
    { scope: 'worker', timeout: STARTING_MS },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  faults: async ({ leaks }, use) => {
    const faults: string[] = []
    await use(faults)
    expect([...faults, ...(await leaks.found())]).toEqual([])
  },
  context: async ({ context, server, faults, leaks }, use) => {
    await watch(context, server.url, faults)
    leaks.watch(context)
    await use(context)
  },
  elsewhere: async ({ browser, server, faults, leaks }, use) => {
    const opened: BrowserContext[] = []
    await use(async (options = {}) => {
      const context = await browser.newContext({ baseURL: server.url, ...options })
      opened.push(context)
      await watch(context, server.url, faults)
      leaks.watch(context)
      return await context.newPage()
    })
    await Promise.all(opened.map((context) => context.close()))
  },
  signIn: async ({ page }, use) => use((name, password) => signInByForm(page, name, password)),
  signInAsAdmin: async ({ signIn }, use) => use(() => signIn(admin.username, admin.password)),
  axe: async ({ page }, use) => {
    await use(async (rules) => {
      // There are no frames: the page itself can report, without another page. Details of what
      // passes would take most of the time.
      const builder = new AxeBuilder({ page }).setLegacyMode().options({
        resultTypes: ['violations'],
        ...(rules
          ? { runOnly: { type: 'rule', values: rules } }
          : { rules: { 'target-size': { enabled: true } } }),
      })
      const look = async () => {
        const { violations } = await builder.analyze()
        return violations.map(({ id, nodes }) => ({ id, html: nodes[0]?.html }))
      }
      // A page that renders while axe measures it can look wrong for a moment. Only a violation that a
      // second analysis finds as well fails the test.
      const first = await look()
      expect(first.length === 0 ? first : await look()).toEqual([])
    })
  },
})

/** For tests that need the demo in its initial state: they do not share their server. */
export const undisturbed = test.extend<object, WorkerFixtures>({
  server: [serveDemo, { scope: 'worker', timeout: STARTING_MS }],
})

export { expect }

async function serveDemo({}, use: (server: ServerProcess) => Promise<void>): Promise<void> {
  const server = await startProcess({ ...OPERATOR, ...FAST_DEMO })
  await use(server)
  await endServer(server)
}

/**
 * Stops it and removes its data. No test takes the database away: every query must have succeeded.
 */
export async function endServer(server: ServerProcess): Promise<void> {
  await server.stop()
  removeFolder(server.dataDir)
  const failed = server
    .output()
    .split('\n')
    .filter((line) => line.includes('Failed query'))
  expect(failed.slice(0, 3)).toEqual([])
}

export async function signInByForm(page: Page, name: string, password: string): Promise<void> {
  await page.goto('/login')
  await fillSignIn(page, name, password)
  await expect(page.getByRole('button', { name: 'Logout' }).first()).toBeVisible()
}

/** Fills and sends the sign-in form, whatever the result. */
export async function fillSignIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Username or email').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

async function watch(context: BrowserContext, origin: string, faults: string[]): Promise<void> {
  await recordTexts(context)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) faults.push(`off origin: ${url}`)
  })
  context.on('weberror', (error) => faults.push(`page error: ${error.error().message}`))
  // Chromium's console says nothing of a violation that the page catches, such as an attempt at eval.
  await context.exposeFunction('tellViolation', (text: string) => void faults.push(text))
  await context.addInitScript(() => {
    const { tellViolation } = globalThis as unknown as { tellViolation(text: string): void }
    addEventListener('securitypolicyviolation', ({ violatedDirective, sourceFile }) =>
      tellViolation(`content security policy: ${violatedDirective} in ${sourceFile}`),
    )
  })
  context.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text())
  })
}
