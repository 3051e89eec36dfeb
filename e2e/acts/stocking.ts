import type { Locator, Page } from '@playwright/test'

export async function openTokenForm(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Create Token' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create Token' })
  await form.getByLabel('Name', { exact: true }).fill(name)
  return form
}

/** Fills the fields that a token of either type needs besides its source. Sends the form. */
export async function fillRestOfToken(form: Locator, price: string): Promise<void> {
  await form.getByLabel('OS type').selectOption({ index: 1 })
  await form.getByLabel('Username').fill('debian')
  await form.getByRole('button', { name: 'Generate a password' }).click()
  await form.getByLabel('Monthly price (USD)').fill(price)
  await form.getByRole('button', { name: 'Create Token' }).click()
}
