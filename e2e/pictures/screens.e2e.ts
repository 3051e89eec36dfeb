import type { Page } from '@playwright/test'
import { overflowOf, settled } from '../acts/looking.ts'
import { answerCalls, loseCalls } from '../acts/network.ts'
import { admin, enter, type People } from '../acts/people.ts'
import { expect, undisturbed as test } from '../house/fixtures.ts'
import type { Screen } from '../screens/answers/screen-acts.ts'
import { SCREENS } from '../screens/screens.ts'

const WIDE = { width: 1280, height: 720 }
const NARROW = { width: 360, height: 800 }
/** Nothing else differs between the themes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
/** How many screens one page visits: a page that has loaded one needs half the time for the next. */
const VISITS = 8

type Tools = { page: Page; people: People; axe: (rules?: string[]) => Promise<void> }

// Many independent tests: they may run on all workers at once.
test.describe.configure({ mode: 'parallel' })
test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const screens of tours()) {
  const names = screens.map(({ name }) => name).join(', ')

  test(`${screens[0]?.role}: accessible in light and dark, and fits into 360 pixels: ${names}`, async ({
    page,
    people,
    axe,
  }) => {
    // The first of them waits until the servers of the customer are created.
    test.setTimeout(240_000)
    // Leaving a form with unsaved input asks first.
    page.on('dialog', (dialog) => dialog.accept())
    for (const screen of screens) {
      await test.step(screen.name, () => judge({ page, people, axe }, screen))
    }
  })
}

/** The screens in groups of one role each. Those that change the signed-in user stand alone. */
function tours(): Screen[][] {
  const judged = SCREENS.filter(({ trouble, isCrowded }) => trouble?.kind !== 'hang' && !isCrowded)
  const shared = Object.values(Object.groupBy(judged, ({ role }) => role)).flatMap((ofRole) => {
    const screens = ofRole.filter(({ hasOwnSession }) => !hasOwnSession)
    const starts = screens.map((_, index) => index).filter((index) => index % VISITS === 0)
    return starts.map((start) => screens.slice(start, start + VISITS))
  })
  return [...shared, ...judged.filter((screen) => screen.hasOwnSession).map((screen) => [screen])]
}

async function judge({ page, people, axe }: Tools, screen: Screen): Promise<void> {
  await page.setViewportSize(screen.isNarrow ? NARROW : WIDE)
  await page.emulateMedia({ colorScheme: 'light' })
  const restore = await open(page, people, screen)
  await expect(page).toHaveTitle(/^\S.* · Hushbox$/)
  await axe()
  const light = await colorsOf(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => colorsOf(page)).not.toEqual(light)
  await atRest(page)
  await axe(COLOUR_RULES)
  await page.setViewportSize(NARROW)
  await expect.poll(() => overflowOf(page)).toEqual([])
  await restore()
}

/** Opens the screen. Returns a function that undoes what was done to the network. */
async function open(page: Page, people: People, screen: Screen): Promise<() => Promise<void>> {
  const { role, path, trouble, answers = {}, hasServers = role === 'customer', prepare } = screen
  const client = await people.gather()
  const customer = hasServers ? await people.customer() : undefined
  const credentials = { visitor: undefined, client, customer, admin }[role]
  if (credentials) await enter(page, credentials)
  await answerCalls(page, answers)
  const lose = () => (trouble ? loseCalls(page, trouble.calls) : undefined)
  const failed = trouble?.kind === 'fail' ? await lose() : undefined
  await page.goto(path)
  await settled(page)
  const lost = trouble?.kind === 'lose' ? await lose() : undefined
  await prepare?.(page)
  await atRest(page)
  return async () => {
    await failed?.()
    await lost?.()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
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
