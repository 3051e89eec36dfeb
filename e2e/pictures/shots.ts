// Saves every screen as a PNG in shots/: light and dark, wide and narrow, with the demo's data.
// `npm run shots -- users,orders` takes only those whose name contains one of the words; a second
// argument picks the look: `npm run shots -- '' light-1440`.
import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium, expect, type Page } from '@playwright/test'
import { removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { settled } from '../acts/looking.ts'
import { answerCalls, holdCalls, loseCalls } from '../acts/network.ts'
import { admin, type Credentials, createPeople, enter, OPERATOR } from '../acts/people.ts'
import { chromiumPath, QUIET } from '../house/browser.ts'
import type { Role, Screen } from '../screens/answers/screen-acts.ts'
import { SCREENS } from '../screens/screens.ts'

const OUT = resolve(import.meta.dirname, '../../shots')
const THEMES = ['light', 'dark'] as const
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 360, height: 800 }
const TIMEOUT_MS = 60_000
const TALLEST = 5_000
const CROWD_SIZE = 300
const [only = '', onlyLook = ''] = process.argv.slice(2)

type Look = { theme: (typeof THEMES)[number]; viewport: typeof WIDE }
type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>
type Studio = { browser: Browser; url: string; who: Record<Role, Cookies> }

const looksOf = ({ isNarrow }: Screen): Look[] =>
  THEMES.flatMap((theme) =>
    (isNarrow ? [NARROW] : [WIDE, NARROW]).map((viewport) => ({ theme, viewport })),
  ).filter((look) => nameOf(look).includes(onlyLook))

const nameOf = ({ theme, viewport }: Look) => `${theme}-${viewport.width}`

/** Each in a separate browser window, so that its state, such as a session, ends with it. */
async function shoot({ browser, url, who }: Studio, screen: Screen, look: Look): Promise<string> {
  const { role, name, path, trouble, answers = {}, prepare } = screen
  const context = await browser.newContext({
    baseURL: url,
    viewport: look.viewport,
    colorScheme: look.theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  try {
    const page = await context.newPage()
    if (screen.hasOwnSession) await enter(page, admin)
    else await context.addCookies(who[role])
    await answerCalls(page, answers)
    if (trouble?.kind === 'hang') await holdCalls(page, trouble.calls)
    if (trouble?.kind === 'fail') await loseCalls(page, trouble.calls)
    await page.goto(path)
    if (trouble?.kind === 'hang') await skeletons(page)
    else await settled(page)
    if (trouble?.kind === 'lose') await loseCalls(page, trouble.calls)
    await prepare?.(page)
    if (trouble?.kind !== 'hang') await drawn(page)
    const file = join(OUT, `${role}-${name}-${nameOf(look)}.png`)
    // Behind an open dialog only the visible area is dimmed: the rest would look odd.
    const hasDialog = (await page.locator('[role$=dialog]').count()) > 0
    if (!hasDialog) await showWhole(page, look.viewport)
    await page.screenshot({ path: file, animations: 'disabled' })
    return file
  } finally {
    await context.close()
  }
}

/** A window as tall as the page, so that sticky elements are where they belong. */
async function showWhole(page: Page, { width, height }: typeof WIDE): Promise<void> {
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width, height: Math.max(height, Math.min(whole, TALLEST)) })
}

/** Loading, and long enough for the skeletons to show: they appear late, and fade in. */
async function skeletons(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const late = page.locator('main .animate-late').first()
  await expect(late).toBeAttached()
  await expect(late).toHaveCSS('opacity', '1')
}

/** Waits for content that is drawn after the lists, such as a history line. */
const drawn = (page: Page) => expect(page.locator('main .animate-late')).toHaveCount(0)

/** Takes all of them, even if one fails. Returns the failures. */
async function shootAll(studio: Studio, screens: Screen[]): Promise<string[]> {
  const failures: string[] = []
  for (const screen of screens) {
    for (const look of looksOf(screen)) {
      const label = `${screen.role} ${screen.name}, ${look.theme}, ${look.viewport.width} px`
      try {
        console.log(relative(process.cwd(), await shoot(studio, screen, look)))
      } catch (error) {
        const [reason] = String(error instanceof Error ? error.message : error).split('\n')
        failures.push(`${label}: ${reason}`)
        console.error(`FAILED ${label}`)
      }
    }
  }
  return failures
}

const screens = SCREENS.filter(({ role, name }) =>
  only.split(',').some((word) => `${role}-${name}`.includes(word)),
)
if (screens.length === 0) {
  console.error(`No screen has "${only}" in its name.`)
  process.exit(1)
}
mkdirSync(OUT, { recursive: true })
const server = await startProcess(OPERATOR)
const browser = await chromium.launch({ executablePath: chromiumPath(), args: QUIET })
try {
  const people = await createPeople(server.url)
  const client = await people.gather()
  const customer = await people.customer()
  const session = async (person: Credentials): Promise<Cookies> => {
    const context = await browser.newContext({ baseURL: server.url })
    await enter(await context.newPage(), person)
    const cookies = await context.cookies()
    await context.close()
    return cookies
  }
  const who = {
    visitor: [],
    client: await session(client),
    customer: await session(customer),
    admin: await session(admin),
  }
  const studio = { browser, url: server.url, who }
  const crowded = screens.filter(({ isCrowded }) => isCrowded)
  const failures = await shootAll(
    studio,
    screens.filter(({ isCrowded }) => !isCrowded),
  )
  if (crowded.length > 0) {
    for (let n = 0; n < CROWD_SIZE; n += 1) await people.client()
    failures.push(...(await shootAll(studio, crowded)))
  }
  if (failures.length > 0) {
    console.error(`\n${failures.length} not taken:\n${failures.join('\n')}`)
    process.exitCode = 1
  }
} finally {
  await browser.close()
  await server.stop()
  removeFolder(server.dataDir)
}
