import type { Page } from '@playwright/test'
import { expectToast } from '../acts/looking.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const OFFICE = {
  Name: 'Office',
  Network: '192.0.2.0/24',
  Gateway: '192.0.2.1',
  Bridge: 'vmbr0',
  'DNS servers': '9.9.9.9',
  'Ranges for clients': '192.0.2.10 - 192.0.2.49',
  'Reserved (optional)': '192.0.2.12 the printer',
}

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('an admin adds a pool, reads its map by keyboard, cuts its range and deletes it', async ({
  page,
  shop,
  signInAsAdmin,
  axe,
}) => {
  expect(shop.node).toBeTruthy()
  await signInAsAdmin()
  await page.getByRole('link', { name: 'Addresses' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Addresses')
  await page.getByRole('button', { name: 'Add Pool' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Pool' })
  await dialog.getByRole('button', { name: 'Add Pool' }).click()
  await expect(dialog).toContainText('Pool name is required')
  await expect(dialog).toContainText('Please select a cluster')
  await dialog.getByLabel('Cluster').selectOption({ index: 1 })
  for (const [label, value] of Object.entries(OFFICE))
    await dialog.getByLabel(label, { exact: true }).fill(value)
  await dialog.getByLabel('Gateway').fill('10.0.0.1')
  await dialog.getByRole('button', { name: 'Add Pool' }).click()
  await expect(dialog).toContainText('The gateway 10.0.0.1 is no address for a machine')
  await axe()
  await dialog.getByLabel('Gateway').fill(OFFICE.Gateway)
  await dialog.getByRole('button', { name: 'Add Pool' }).click()
  await expectToast(page, 'Pool created successfully')

  const card = cardOf(page, OFFICE.Name)
  const map = card.getByRole('group', { name: 'Addresses of Office' })
  await expect(map.getByRole('button')).toHaveCount(40)
  await expect(card).toContainText('192.0.2.10 is free.')
  await map.getByRole('button', { name: '192.0.2.10 is free.' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(map.getByRole('button', { name: /^192\.0\.2\.12 / })).toBeFocused()
  await expect(card).toContainText('192.0.2.12 is reserved: the printer.')
  await axe()

  // Another pool of the cluster may not share an address with it.
  await page.getByRole('button', { name: 'Add Pool' }).click()
  await dialog.getByLabel('Cluster').selectOption({ index: 1 })
  for (const [label, value] of Object.entries({ ...OFFICE, Name: 'Twin' }))
    await dialog.getByLabel(label, { exact: true }).fill(value)
  await dialog.getByRole('button', { name: 'Add Pool' }).click()
  await expectToast(page, 'Error', '192.0.2.0/24 overlaps 192.0.2.0/24 of the pool “Office”.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await card.getByRole('button', { name: 'Edit Office' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Office' })
  await edit.getByLabel('Ranges for clients').fill('192.0.2.10 - 192.0.2.19')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Pool updated successfully')
  await expect(map.getByRole('button')).toHaveCount(10)

  await card.getByRole('button', { name: 'Delete Office' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Pool deleted successfully')
  await expect(card).toHaveCount(0)
})

test('a pool shows what its tokens hold, and is kept while they hold it', async ({
  page,
  shop,
  signInAsAdmin,
}) => {
  await shop.offer('Kept, 1 CPU, 1 GB RAM, 10 GB SSD')
  await signInAsAdmin()
  await page.goto('/pools')
  const card = cardOf(page, 'Test')
  const held = card.getByRole('button', { name: /is held for Kept, 1 CPU/ })
  await held.hover()
  await expect(card.getByText(/is held for Kept, 1 CPU/)).toBeVisible()
  await card.getByRole('button', { name: 'Higher' }).click()
  await expect(card.getByText('198.18.1.2 is free.')).toBeVisible()
  await card.getByRole('button', { name: 'Delete Test' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Error', 'of this pool.')
})
