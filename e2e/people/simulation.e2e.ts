import type { Page } from '@playwright/test'
import { chooseFromAccountMenu } from '../acts/account-menu.ts'
import { chooseInRow, rowOf } from '../acts/looking.ts'
import { admin, enter, type Person, whoIsIn } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

test.beforeEach(async ({ page }) => {
  await enter(page, admin)
})

test('an active client is simulated, across a reload, and left again', async ({ page, people }) => {
  const person = await people.client()
  await simulate(page, person)
  const banner = page.getByRole('complementary', { name: 'Simulation' })
  await expect(banner).toContainText(`Simulating ${person.name}`)
  await expect(banner).toContainText(admin.username)
  await expect(page.getByRole('button', { name: 'Client User' })).toBeVisible()
  expect(await whoIsIn(page)).toMatchObject({ username: person.username, role: 'client' })
  expect((await page.request.get('/api/admin/users')).status()).toBe(403)

  await page.reload()
  await expect(banner).toContainText(`Simulating ${person.name}`)

  await banner.getByRole('button', { name: 'Return to Admin' }).click()
  await expect(page).toHaveURL('/users')
  await expect(rowOf(page, person.email)).toBeVisible()
  await expect(banner).toBeHidden()
  expect(await whoIsIn(page)).toMatchObject({ role: 'admin' })
})

test('the secrets of a client are not accessible', async ({ page, people }) => {
  const person = await people.client()
  await simulate(page, person)
  await chooseFromAccountMenu(page, 'Settings')
  await page.getByRole('tab', { name: 'Security' }).click()
  // Password, second factor, passkeys, sessions.
  await expect(page.getByText('Not available while simulating')).toHaveCount(4)
  await expect(page.getByLabel('Current password')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Sign out everywhere' })).toHaveCount(0)
})

test('a simulation ends when its client is deactivated', async ({ page, people, elsewhere }) => {
  const person = await people.client()
  await simulate(page, person)
  const second = await elsewhere()
  await enter(second, admin)
  await second.goto('/users')
  await rowOf(second, person.email).getByRole('switch').click()
  await second.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()
  await expect(rowOf(second, person.email)).toContainText('Inactive')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Admin User' })).toBeVisible()
  await expect(page.getByRole('complementary', { name: 'Simulation' })).toBeHidden()
})

test('simulation is not offered for administrators and inactive clients', async ({
  page,
  people,
}) => {
  const other = await people.admin()
  const inactive = await people.client({ isActive: false })
  await page.goto('/users')
  for (const [email, reason] of [
    [other.email, 'Cannot simulate admin'],
    [inactive.email, 'Only active users can be simulated.'],
  ] as const) {
    await rowOf(page, email)
      .getByRole('button', { name: /^More for/ })
      .click()
    const item = page.getByRole('menuitem', { name: 'Simulate' })
    await expect(item).toBeDisabled()
    await expect(item).toContainText(reason)
    await page.keyboard.press('Escape')
  }
})

async function simulate(page: Page, person: Person): Promise<void> {
  await page.goto('/users')
  await chooseInRow(page, person.email, 'Simulate')
  await page
    .getByRole('alertdialog', { name: `Simulate ${person.name}?` })
    .getByRole('button', { name: 'Simulate' })
    .click()
  await expect(page).toHaveURL('/client-dashboard')
}
