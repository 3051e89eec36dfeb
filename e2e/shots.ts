// Every screen as a PNG in shots/: light and dark, wide and narrow, with the demo's data.
// `npm run shots -- users` takes only those whose name contains the word.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { ADMIN, removeFolder, startProcess } from '../src/server/testing/server-process.ts'
import { chromiumPath, QUIET } from './browser.ts'
import { type Role, SCREENS } from './screens.ts'

const OUT = resolve(import.meta.dirname, '../shots')
const WIDTHS = [1440, 360]
const THEMES = ['light', 'dark'] as const
const [only = ''] = process.argv.slice(2)

type Credentials = { username: string; password: string }

async function registerClient(url: string): Promise<Credentials> {
  const reply = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agreedToTerms: true, deviceMacAddress: '00:00:00:00:00:01' }),
  })
  const { username, generatedPassword } = (await reply.json()) as Record<string, string>
  return { username: username ?? '', password: generatedPassword ?? '' }
}

async function openPage(browser: Browser, url: string, width: number, theme: 'light' | 'dark') {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width < 600 ? 800 : 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  return { context, page: await context.newPage() }
}

async function signIn(page: Page, { username, password }: Credentials): Promise<void> {
  const reply = await page.request.post('/api/auth/login', { data: { username, password } })
  if (!reply.ok()) throw new Error(`sign-in failed: ${reply.status()}`)
}

async function shoot(browser: Browser, url: string, who: Record<Role, Credentials | undefined>) {
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      for (const role of ['visitor', 'client', 'admin'] as const) {
        const { context, page } = await openPage(browser, url, width, theme)
        const credentials = who[role]
        if (credentials) await signIn(page, credentials)
        const wanted = SCREENS.filter((s) => s.role === role && s.name.includes(only))
        for (const { name, path, prepare } of wanted) {
          await page.goto(path)
          await page.waitForLoadState('networkidle')
          await prepare?.(page)
          const file = join(OUT, `${role}-${name}-${theme}-${width}.png`)
          await page.screenshot({ path: file, fullPage: true })
          console.log(file)
        }
        await context.close()
      }
    }
  }
}

mkdirSync(OUT, { recursive: true })
const server = await startProcess()
const browser = await chromium.launch({ executablePath: await chromiumPath(), args: QUIET })
try {
  await shoot(browser, server.url, {
    visitor: undefined,
    client: await registerClient(server.url),
    admin: { username: ADMIN.email, password: ADMIN.password },
  })
} finally {
  await browser.close()
  await server.stop()
  removeFolder(server.dataDir)
}
