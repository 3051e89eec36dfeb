import type { Page } from '@playwright/test'
import { expect, undisturbed as test } from './fixtures.ts'
import { overflowOf, settled } from './looking.ts'
import { answerCalls, loseCalls } from './network.ts'
import { admin, enter, type People } from './people.ts'
import type { Screen } from './screen-acts.ts'
import { SCREENS } from './screens.ts'

const NARROW = { width: 360, height: 800 }
/** Nothing else differs between the themes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

// Many independent tests: they may run on all workers at once.
test.describe.configure({ mode: 'parallel' })
test.use({ contextOptions: { reducedMotion: 'reduce' } })

const CHECKED = SCREENS.filter(({ trouble, isCrowded }) => trouble?.kind !== 'hang' && !isCrowded)

for (const screen of CHECKED) {
  const { role, name, isNarrow } = screen

  test(`${role} ${name}: accessible in light and dark, and fits into 360 pixels`, async ({
    page,
    people,
    axe,
  }) => {
    // The first of them waits until the servers are created.
    if (role === 'customer' || screen.hasServers) test.setTimeout(180_000)
    if (isNarrow) await page.setViewportSize(NARROW)
    await page.emulateMedia({ colorScheme: 'light' })
    await open(page, people, screen)
    await expect(page).toHaveTitle(/^\S.* · Hushbox$/)
    await axe()
    const light = await colorsOf(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => colorsOf(page)).not.toEqual(light)
    await atRest(page)
    await axe(COLOUR_RULES)
    await page.setViewportSize(NARROW)
    await expect.poll(() => overflowOf(page)).toEqual([])
  })
}

async function open(page: Page, people: People, screen: Screen): Promise<void> {
  const { role, path, trouble, answers = {}, hasServers = role === 'customer', prepare } = screen
  const client = await people.gather()
  const customer = hasServers ? await people.customer() : undefined
  const credentials = { visitor: undefined, client, customer, admin }[role]
  if (credentials) await enter(page, credentials)
  await answerCalls(page, answers)
  if (trouble?.kind === 'fail') await loseCalls(page, trouble.calls)
  await page.goto(path)
  await settled(page)
  if (trouble?.kind === 'lose') await loseCalls(page, trouble.calls)
  await prepare?.(page)
  await atRest(page)
}

/**
 * Waits until nothing moves or fades. `allSettled`, because an element that left the page counts as
 * done.
 */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  })
}

const colorsOf = (page: Page) =>
  page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.body)
    return { color, backgroundColor }
  })
