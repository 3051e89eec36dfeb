import type { Locator, Page } from '@playwright/test'
import { take, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { fillRestOfToken, openTokenForm } from '../acts/stocking.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const row = (page: Page, name: string): Locator =>
  page.getByRole('table', { name: 'All Tokens' }).getByRole('row').filter({ hasText: name })

async function choose(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('an admin creates tokens of both types, changes and copies them', async ({
  page,
  shop,
  signInAsAdmin,
  axe,
  elsewhere,
  people,
}) => {
  test.slow()
  await signInAsAdmin()
  await page.goto('/tokens')

  const fresh = 'Fresh, 2 CPU, 2 GB RAM, 20 GB SSD'
  const form = await openTokenForm(page, fresh)
  await form.getByLabel('Node').selectOption(shop.node)
  await form.getByLabel('Template').selectOption({ index: 1 })
  await form.getByRole('button', { name: /^198\.18\./ }).click()
  await axe()
  await fillRestOfToken(form, '0')
  await expectToast(page, 'Free Trial Token Created')
  await expect(row(page, fresh)).toContainText('Available')

  const ready = 'Running, 2 CPU, 4 GB RAM, 40 GB SSD'
  const second = await openTokenForm(page, ready)
  await second.getByLabel('Token type').selectOption('ready')
  await expect(second.getByLabel('Template')).toHaveCount(0)
  await second.getByLabel('Node').selectOption(shop.node)
  await second.getByLabel('Instance').selectOption({ index: 1 })
  await fillRestOfToken(second, '9.00')
  await expectToast(page, 'Token created successfully')

  await page.getByRole('button', { name: `Edit ${fresh}` }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Token' })
  await expect(edit.getByLabel('Node').locator('option:checked')).toHaveText(shop.node)
  const renamed = 'Fresher, 2 CPU, 2 GB RAM, 20 GB SSD'
  await edit.getByLabel('Name', { exact: true }).fill(renamed)
  await edit.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Token updated successfully')

  await choose(page, renamed, 'Duplicate')
  const copy = page.getByRole('dialog', { name: 'Duplicate Token' })
  const copied = 'Copied, 2 CPU, 2 GB RAM, 20 GB SSD'
  await copy.getByLabel('Name', { exact: true }).fill(copied)
  // A new address is proposed, and the template of the original.
  await expect(copy.getByLabel('IP address')).toHaveValue(/^198\.18\./)
  await expect(copy.getByLabel('Template').locator('option:checked')).not.toHaveText(/Choose/)
  await copy.getByRole('button', { name: 'Duplicate Token' }).click()
  await expectToast(page, 'Token duplicated successfully')

  await choose(page, copied, 'Delete')
  const question = page.getByRole('alertdialog', { name: 'Delete Token' })
  await expect(question).toContainText(`Are you sure you want to delete "${copied}"?`)
  await question.getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Token deleted successfully')
  await expect(row(page, copied)).toHaveCount(0)

  // A running server is the client's at once, with an address and a screen.
  const home = await elsewhere()
  await enter(home, await people.anonymous())
  const card = await take(home, ready)
  await expect(wayIn(card)).toBeVisible({ timeout: 60_000 })
  await card.getByRole('button', { name: /^Console of/ }).click()
  await expect(home.getByRole('dialog')).toBeVisible()
  await home.keyboard.press('Escape')
  await expect(row(page, ready)).toContainText('Used')

  // The same client takes the free one: a trial beside a purchase.
  await expect(wayIn(await take(home, renamed))).toBeVisible({ timeout: 60_000 })
})

test('several tokens are created at once, each with its own address', async ({
  page,
  shop,
  signInAsAdmin,
}) => {
  await signInAsAdmin()
  await page.goto('/tokens')
  const name = 'Row, 1 CPU, 1 GB RAM, 10 GB SSD'
  const form = await openTokenForm(page, name)
  await form.getByLabel('Node').selectOption(shop.node)
  await form.getByLabel('Template').selectOption({ index: 1 })
  await form.getByRole('button', { name: /^198\.18\./ }).click()
  await form.getByLabel('Quantity').fill('51')
  await form.getByLabel('MAC address (optional)').fill('')
  await fillRestOfToken(form, '5.00')
  await expect(form).toContainText('Enter a number from 1 to 50')
  await form.getByLabel('Quantity').fill('3')
  await form.getByRole('button', { name: 'Create Token' }).click()
  await expectToast(page, '3 tokens created successfully')
  await page.getByRole('searchbox').fill('Row,')
  await expect(row(page, name)).toHaveCount(3)
  const addresses = await row(page, name)
    .getByText(/^198\.18\.\d+\.\d+$/)
    .allTextContents()
  expect(new Set(addresses).size).toBe(3)
})
