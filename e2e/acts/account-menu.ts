import { expect, type Page } from '@playwright/test'

/**
 * Chooses an entry of the account menu. A page that has just opened takes the focus, which closes
 * the menu; a person would press again.
 */
export async function chooseFromAccountMenu(page: Page, entry: string): Promise<void> {
  await expect(async () => {
    const item = page.getByRole('menuitem', { name: entry })
    if (!(await item.isVisible()))
      await page.getByRole('button', { name: /^(Client|Admin) User$/ }).click()
    await item.click({ timeout: 2_000 })
  }).toPass()
}
