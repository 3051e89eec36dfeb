import { expect, type Locator, type Page } from '@playwright/test'

export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Tab by Tab, as a person would; the focus must be visible where it arrives. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let steps = 0; steps < 80; steps += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
  await expect(target).toBeInViewport()
  expect(await target.evaluate((element) => getComputedStyle(element).outlineStyle)).not.toBe(
    'none',
  )
}
