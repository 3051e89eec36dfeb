import type { Page } from '@playwright/test'
import { makeToken } from '../acts/customer.ts'
import { chooseInRow, expectDialog, expectToast, rowOf, settled } from '../acts/looking.ts'
import { loseCalls } from '../acts/network.ts'
import { admin, enter, someDevice } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

// The server cannot be reached: each action says in the specified words that it failed.

const EVERY_CALL = '*/api/*'

/** The page is complete; from here on every call fails. */
async function openThenLose(page: Page, path: string, calls = EVERY_CALL): Promise<void> {
  await page.goto(path)
  await settled(page)
  await loseCalls(page, calls)
}

const confirm = (page: Page, name: string | RegExp) =>
  page.getByRole('alertdialog').getByRole('button', { name }).click()

/** The first press may close the toast above it. */
const closeDialog = (page: Page) =>
  expect(async () => {
    await page.keyboard.press('Escape')
    await expect(page.locator('[role$=dialog]')).toHaveCount(0, { timeout: 1000 })
  }).toPass()

test('signing out from the dashboard and from the sidebar reports a lost connection', async ({
  page,
}) => {
  await enter(page, admin)
  await openThenLose(page, '/', '*/api/auth/logout')
  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click()
  await expectToast(page, 'Logout failed', 'Please try again')
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  await sidebar.getByRole('button', { name: 'Logout' }).click()
  await expect(sidebar.getByRole('button', { name: 'Logout failed. Try again' })).toBeVisible()
})

test('every action on accounts reports a lost connection', async ({ page, people }) => {
  const person = await people.client()
  await enter(page, admin)
  await openThenLose(page, `/users?q=${person.username}`)
  await rowOf(page, person.email).getByRole('button', { name: /^Edit/ }).click()
  await page.getByLabel('First name').fill('Somebody')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Update failed', 'Failed to update user.')
  await closeDialog(page)
  await chooseInRow(page, person.email, 'Reset Password')
  await confirm(page, 'Reset Password')
  await expectToast(page, 'Password reset failed')
  await closeDialog(page)
  await chooseInRow(page, person.email, 'Simulate')
  await confirm(page, 'Simulate')
  await expectToast(page, 'Simulation failed')
  await chooseInRow(page, person.email, 'Delete')
  await page.getByLabel(/to confirm$/).fill(person.username)
  await confirm(page, 'Delete')
  await expectToast(page, 'Delete failed')
})

test('creating an account reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  await openThenLose(page, '/create-user')
  await page.getByLabel('First name').fill('Robin')
  await page.getByLabel('Last name').fill('Nobody')
  await page.getByLabel('E-mail').fill('robin.nobody@example.test')
  await page.getByLabel('Mobile number').fill('+43 1 5550100')
  await page.getByLabel('Password', { exact: true }).fill('long enough for it')
  await page.getByLabel('Confirm password').fill('long enough for it')
  await page.getByRole('button', { name: 'Create User' }).click()
  await expectToast(page, 'User creation failed', 'Please check the information and try again.')
})

test('leaving a simulation reports a lost connection', async ({ page, people }) => {
  const person = await people.client()
  await enter(page, admin)
  const reply = await page.request.post(`/api/admin/simulate/${person.id}`, { data: {} })
  expect(reply.ok()).toBe(true)
  await openThenLose(page, '/client-dashboard')
  await page.getByRole('button', { name: 'Return to Admin' }).click()
  await expectToast(page, 'Failed to end simulation')
})

test('every action on tokens reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  // Each dialog reads its options before the connection is lost.
  await page.goto('/tokens?q=Large')
  await settled(page)
  await page.getByRole('button', { name: /^Edit Large/ }).click()
  await expect(page.getByLabel('Template')).toHaveValue(/\d/)
  await loseCalls(page, EVERY_CALL)
  await page.getByLabel('Name', { exact: true }).fill('Large and renamed')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Error', 'Failed to update token')
  await closeDialog(page)
  await chooseOfToken(page, 'Delete')
  await expect(page.getByRole('alertdialog')).toContainText(
    'Are you sure you want to delete "Large',
  )
  await confirm(page, 'Delete')
  await expectToast(page, 'Error', 'Failed to delete token')
})

test('copying a token reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  await page.goto('/tokens?q=Large')
  await settled(page)
  await chooseOfToken(page, 'Duplicate')
  await expectDialog(page, 'Duplicate Token')
  await loseCalls(page, EVERY_CALL)
  await page.getByRole('dialog').getByLabel('IP address').fill('203.0.113.140')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Duplicate/ })
    .click()
  await expectToast(page, 'Error', 'Failed to duplicate token')
})

test('every action on operating systems reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  await openThenLose(page, '/settings?tab=systems')
  await page.getByRole('button', { name: /^Add/ }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('OS name is required')).toBeVisible()
  await page.getByLabel('Name').fill('Plan 9')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expectToast(page, 'Error', 'Failed to create operating system')
  await page.getByRole('switch', { name: 'Debian 12 is active' }).click()
  await expectToast(page, 'Error', 'Failed to update operating system')
  await page.getByRole('button', { name: 'Delete Debian 12' }).click()
  await confirm(page, 'Delete')
  await expectToast(page, 'Error', 'Failed to delete operating system')
})

test('every action on packages reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  await openThenLose(page, '/packages')
  await page.getByRole('button', { name: 'Add Package' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^(Add|Create)/ }).click()
  await expectToast(page, 'Validation Error', 'Please fill in all required fields.')
  await dialog.getByLabel('Name').fill('Tiny')
  await dialog.getByLabel('CPU').fill('1 CPU')
  await dialog.getByLabel('RAM').fill('1 GB RAM')
  await dialog.getByLabel('Storage').fill('10 GB SSD')
  await dialog.getByLabel('Price (USD)').fill('3')
  await dialog.getByRole('button', { name: /^(Add|Create)/ }).click()
  await expectToast(page, 'Creation Failed')
  await closeDialog(page)
  await page.getByRole('button', { name: 'Delete Small' }).click()
  await confirm(page, 'Delete')
  await expectToast(page, 'Deletion Failed')
})

test('every action on the cluster’s instances reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  await openThenLose(page, '/instances')
  await page.getByRole('button', { name: 'Start staging', exact: true }).click()
  await expectToast(page, 'Error', 'Failed to start instance: ')
  await page.getByRole('button', { name: 'Sync to Proxmox' }).click()
  await expectToast(page, 'Sync Failed', 'Failed to sync with Proxmox.')
  await page.getByRole('button', { name: 'Settings of mail' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Failed to load configuration')).toBeVisible()
  await expect(dialog.getByText('Could not fetch VM configuration from Proxmox.')).toBeVisible()
})

test('saving the configuration of an instance reports a lost connection', async ({ page }) => {
  await enter(page, admin)
  await page.goto('/instances')
  await page.getByRole('button', { name: 'Settings of mail' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Memory/).fill('1536')
  await loseCalls(page, EVERY_CALL)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Update Failed', 'Failed to update VM configuration.')
})

test('a purchase and a trial report a lost connection', async ({ page, people }) => {
  const free = await makeToken(people.ask, {
    ...{ name: 'Nothing to pay', days: 7, price: '0.00', address: '203.0.113.141' },
  })
  const dear = await makeToken(people.ask, {
    ...{ name: 'Something to pay', days: 30, price: '9.00', address: '203.0.113.142' },
  })
  await enter(page, await people.anonymous())
  await openThenLose(page, '/create-instance', '*/api/marketplace/*')
  await page.getByRole('button', { name: `Buy: ${dear.name}` }).click()
  await confirm(page, /^Buy for/)
  await expectToast(page, 'Purchase Failed', 'Failed to create instance')
  await closeDialog(page)
  await page.getByRole('button', { name: `Start Free Trial: ${free.name}` }).click()
  await confirm(page, 'Start Free Trial')
  await expectToast(page, 'Trial Creation Failed')
})

test('a client’s power actions and console report a lost connection', async ({ page, people }) => {
  // The first to ask waits until the servers are created.
  test.setTimeout(180_000)
  await enter(page, await people.customer())
  await openThenLose(page, '/my-instances')
  await page
    .getByRole('button', { name: /^Restart / })
    .first()
    .click()
  await expectToast(page, 'Failed to restart instance')
  await page
    .getByRole('button', { name: /^Shutdown / })
    .first()
    .click()
  await expectToast(page, 'Failed to shutdown instance')
  await page
    .getByRole('button', { name: /^Console of/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Get Console Access' }).click()
  await expectToast(page, 'Console Error', 'Failed to connect to console')
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
})

test('the sign-in after a registration reports a lost connection', async ({ page }) => {
  await page.goto('/register')
  await page.evaluate((device) => localStorage.setItem('deviceMacAddress', device), someDevice())
  await loseCalls(page, '*/api/auth/login')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Create Account' }).click()
  await expectToast(page, 'Auto-login Failed')
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await expect(page).toHaveURL('/login')
})

test('a registration reports a lost connection', async ({ page }) => {
  await page.goto('/register')
  await page.getByRole('checkbox').check()
  await loseCalls(page, '*/api/auth/register')
  await page.getByRole('button', { name: 'Create Account' }).click()
  await expectToast(page, 'Registration Failed')
})

async function chooseOfToken(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^More for Large/ }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
