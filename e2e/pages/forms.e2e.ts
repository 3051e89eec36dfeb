import { makeToken } from '../acts/customer.ts'
import { expectDialog, expectToast, settled } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

// The operator's forms: every specified validation sentence, and the toast of success.

test.beforeEach(async ({ page }) => {
  await enter(page, admin)
})

test('a token is created, edited, copied and deleted', async ({ page }) => {
  await page.goto('/tokens')
  await settled(page)
  await page.getByRole('button', { name: 'Create Token' }).first().click()
  const dialog = page.getByRole('dialog')
  await expectDialog(page, 'Create Token')
  const send = dialog.getByRole('button', { name: 'Create Token' })
  await dialog.getByLabel('MAC address (optional)').fill('not a MAC')
  await dialog.getByLabel('Monthly price (USD)').fill('-1')
  await dialog.getByLabel('Duration (days)').fill('0')
  await send.click()
  for (const sentence of [
    'Token name is required',
    'Price must be a valid positive number',
    'Duration must be a valid positive number',
    'Invalid MAC address format',
    'Username is required',
    'Please select an OS type',
    'Please select a node',
  ]) {
    await expect(dialog.getByText(sentence, { exact: true })).toBeVisible()
  }

  await dialog.getByLabel('Name', { exact: true }).fill('Slip, 1 CPU, 1 GB RAM')
  await dialog.getByLabel('Node', { exact: true }).selectOption({ index: 1 })
  await dialog.getByLabel('OS type').selectOption('Debian 12')
  await dialog.getByLabel('MAC address (optional)').fill('')
  await dialog.getByLabel('Username').fill('debian')
  await dialog.getByLabel('Password', { exact: true }).fill('')
  await dialog.getByLabel('Monthly price (USD)').fill('0')
  await dialog.getByLabel('Duration (days)').fill('7')
  await send.click()
  await expect(dialog.getByText('Password is required')).toBeVisible()
  await dialog.getByLabel('Password', { exact: true }).fill('a password to sell')
  await dialog.getByLabel('IP address').fill('')
  await send.click()
  await expect(
    dialog.getByText(
      'IP address and template are required for IP/MAC tokens, instance is required for Ready tokens',
    ),
  ).toBeVisible()
  await dialog.getByLabel('Template').selectOption({ index: 1 })
  await dialog.getByLabel('IP address').fill('203.0.113.150')
  await send.click()
  await expectToast(
    page,
    'Free Trial Token Created',
    'Free trial token created successfully - no payment required',
  )

  const row = page.getByRole('row').filter({ hasText: 'Slip, 1 CPU' })
  await row.getByRole('button', { name: /^Edit/ }).click()
  await expectDialog(page, 'Edit Token')
  await dialog.getByLabel('IP address').fill('not an address')
  await dialog.getByLabel('Template').selectOption('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Invalid IP address')).toBeVisible()
  await expect(dialog.getByText('Please select a template')).toBeVisible()
  await dialog.getByLabel('IP address').fill('203.0.113.151')
  await dialog.getByLabel('Template').selectOption({ index: 1 })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Token updated successfully')

  await row.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expectDialog(page, 'Duplicate Token')
  await dialog.getByLabel('OS type').selectOption('')
  await dialog.getByLabel('IP address').fill('203.0.113.152')
  await dialog.getByRole('button', { name: /^Duplicate/ }).click()
  await expect(dialog.getByText('OS type is required')).toBeVisible()
  await dialog.getByLabel('OS type').selectOption('Debian 12')
  await dialog.getByRole('button', { name: /^Duplicate/ }).click()
  await expectToast(page, 'Token duplicated successfully')

  for (const count of [1, 0]) {
    await row
      .first()
      .getByRole('button', { name: /^More for/ })
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expectToast(page, 'Token deleted successfully')
    await expect(row).toHaveCount(count)
  }
})

test('an instance is created for a new client', async ({ page, people }) => {
  const { name } = await makeToken(people.ask, {
    ...{ name: 'For somebody new', days: 30, price: '5.00', address: '203.0.113.153' },
  })
  await page.goto('/instances')
  await settled(page)
  await page.getByRole('button', { name: 'Create Instance' }).click()
  const dialog = page.getByRole('dialog')
  const send = dialog.getByRole('button', { name: 'Create Instance' })
  await send.click()
  for (const sentence of [
    'Please select a token',
    'Instance name is required',
    'Please select or create a client',
  ]) {
    await expect(dialog.getByText(sentence, { exact: true })).toBeVisible()
  }
  const option = dialog.getByRole('option', { name: new RegExp(`^${name}`) })
  await dialog.getByLabel('Token').selectOption(await option.getAttribute('value'))
  await dialog.getByLabel('Instance name').fill('brand-new')
  await dialog.getByRole('button', { name: 'New client' }).click()
  await send.click()
  await expect(dialog.getByText('Email is required when creating new client')).toBeVisible()
  await dialog.getByLabel('E-mail of the new client').fill('nonsense')
  await send.click()
  await expect(dialog.getByText('Valid email required')).toBeVisible()
  await dialog.getByLabel('E-mail of the new client').fill('brand.new@example.test')
  await send.click()
  await expectToast(page, 'Instance created successfully')
})

test('an operating system is added, renamed and deleted', async ({ page }) => {
  await page.goto('/settings?tab=systems')
  await page.getByRole('button', { name: /^Add/ }).click()
  await page.getByLabel('Name').fill('Plan 9')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expectToast(page, 'Operating system created successfully')
  await page.getByRole('button', { name: 'Edit Plan 9' }).click()
  await page.getByLabel('Description (optional)').fill('From Bell Labs')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Operating system updated successfully')
  await page.getByRole('button', { name: 'Delete Plan 9' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Operating system deleted successfully')
})

test('a configuration is saved, of an instance and of a template', async ({ page }) => {
  await page.goto('/instances')
  await page.getByRole('button', { name: 'Settings of mail' }).click()
  const dialog = page.getByRole('dialog')
  const memory = dialog.getByLabel(/^Memory/)
  await expect(memory).toHaveValue(/\d/)
  const before = Number(await memory.inputValue())
  await memory.fill(String(before + 512))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Configuration Updated')

  await page.goto('/proxmox-manager')
  await page.getByRole('treeitem', { name: /^debian-12/ }).click()
  await page.getByRole('button', { name: 'Configure' }).click()
  await expect(page.getByLabel('CPU Cores')).toHaveValue(/\d/)
  await page.getByLabel('Description').fill('What the small ones are made of')
  await page.getByRole('button', { name: 'Save to Proxmox' }).click()
  await expectToast(page, 'Configuration Updated')
  await page.getByRole('button', { name: 'Sync to Proxmox' }).click()
  await expectToast(page, 'Sync Complete')
  await page.goto('/nodes')
  await page.getByRole('button', { name: 'Sync Nodes' }).click()
  await expectToast(page, 'Nodes synced successfully')
})

test('a browser that refuses to copy is reported', async ({ page, people }) => {
  const { username } = await people.anonymous()
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    document.execCommand = () => false
  })
  await page.goto(`/users?q=${username}`)
  await page.getByRole('button', { name: 'Copy username' }).first().click()
  await expectToast(page, 'Copy Failed', 'Failed to copy to clipboard')
})
