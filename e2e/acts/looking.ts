import { expect, type Locator, type Page } from '@playwright/test'

/** The only toast: its title, and its description where one is specified. */
export async function expectToast(
  page: Page,
  title: string,
  description = '',
  { timeout = 10_000 } = {},
): Promise<void> {
  await expect(toastOf(page)).toContainText(title, { timeout })
  if (description) await expect(toastOf(page)).toContainText(description)
}

/** A toast is visible behind an open dialog, too. */
export const toastOf = (page: Page): Locator =>
  page
    .getByRole('region', { name: /^Notifications/, includeHidden: true })
    .getByRole('listitem', { includeHidden: true })

export const clipboardOf = (page: Page): Promise<string> =>
  page.evaluate(() => navigator.clipboard.readText())

/** For pages and dialogs that load on a busy machine. */
const PATIENT = { timeout: 30_000 }

/** The page's own heading is shown, nothing is still loading, and the fonts are loaded. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible(PATIENT)
  await expect(page.getByRole('status').filter({ hasText: /^Loading/ })).toHaveCount(0, PATIENT)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

/** A dialog is open, with everything it loads: most of them are in chunks of their own. */
export async function expectDialog(page: Page, name?: string | RegExp): Promise<void> {
  const dialog = page.locator('[role=dialog], [role=alertdialog]')
  await expect(name ? dialog.filter({ hasText: name }) : dialog.first()).toBeVisible(PATIENT)
  await expect(dialog.getByRole('status').filter({ hasText: /^Loading/ })).toHaveCount(0, PATIENT)
}

/** Every address the page shows from now on, without its origin. */
export function recordVisits(page: Page): string[] {
  const visits: string[] = []
  page.on('framenavigated', (frame) => {
    const { pathname, search } = new URL(frame.url())
    if (frame === page.mainFrame()) visits.push(pathname + search)
  })
  return visits
}

/** The row of an account in System Users. */
export const rowOf = (page: Page, text: string): Locator =>
  page.getByRole('table', { name: 'System Users' }).getByRole('row').filter({ hasText: text })

/** Chooses from the menu at the end of a row. */
export async function chooseInRow(page: Page, text: string, item: string): Promise<void> {
  await rowOf(page, text)
    .getByRole('button', { name: /^More for/ })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** The page and its dialogs, where they are wider than their visible area. */
export const overflowOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const parts = [document.scrollingElement, ...document.querySelectorAll('[role$=dialog]')]
    return parts
      .filter((part) => part !== null && part.scrollWidth > Math.min(part.clientWidth, innerWidth))
      .map((part) => `${part?.tagName}: ${part?.scrollWidth} > ${part?.clientWidth}`)
  })

/** Confirms a hard stop. */
export async function confirmStop(page: Page, name: string): Promise<void> {
  const question = page.getByRole('alertdialog', { name: `Stop ${name}?` })
  await expect(question).toContainText('like pulling the plug')
  await question.getByRole('button', { name: 'Stop now' }).click()
  await expect(question).toHaveCount(0)
}
