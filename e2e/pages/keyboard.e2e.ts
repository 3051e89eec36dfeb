import { press, tabTo } from '../acts/keys.ts'
import { expectToast, rowOf } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

test('a visitor gets from the landing page to an account and out again without a mouse', async ({
  page,
  people,
}) => {
  await people.forgetDevices()
  await page.goto('/')
  await press(page, page.getByRole('banner').getByRole('link', { name: 'Get Started' }))
  await expect(page).toHaveURL('/register')
  await press(page, page.getByRole('checkbox', { name: /Terms of Service/ }), 'Space')
  await press(page, page.getByRole('button', { name: 'Create Account' }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Save your username/)
  await press(page, page.getByRole('button', { name: 'Copy both' }))
  await press(page, page.getByRole('button', { name: 'I have saved these' }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')

  await press(page, page.getByRole('button', { name: 'Client User' }))
  const settings = page.getByRole('menuitem', { name: 'Settings' })
  await expect(page.getByRole('menuitem').first()).toBeVisible()
  for (const label of ['Billing', 'My tokens', 'Profile', 'Settings']) {
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitem', { name: label })).toBeFocused()
  }
  await settings.press('Enter')
  await expect(page).toHaveURL('/settings')
  await tabTo(page, page.getByRole('tab', { name: 'Account' }))
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Security' })).toBeFocused()
  await expect(page).toHaveURL('/settings?tab=security')
  await tabTo(page, page.getByLabel('Current password'))

  await press(page, page.getByRole('button', { name: 'Logout' }))
  await expectToast(page, 'Logged out successfully')
  await expect(page).toHaveURL('/login')
})

test('the skip link skips the navigation', async ({ page, people }) => {
  const skip = page.getByRole('link', { name: 'Skip to content' })
  await page.goto('/pricing')
  await expect(page.getByRole('article').first()).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').getByRole('link').first()).toBeFocused()

  await enter(page, await people.client())
  await page.goto('/settings')
  await expect(page.getByRole('tab', { name: 'Account' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('tab', { name: 'Account' })).toBeFocused()
})

test('Escape closes a dialog and the focus returns to the element that opened it', async ({
  page,
  people,
}) => {
  const person = await people.client()
  await enter(page, admin)
  // This person alone: the way by Tab must not depend on how many people other tests made.
  await page.goto(`/users?q=${person.email}`)
  const edit = rowOf(page, person.email).getByRole('button', { name: /^Edit/ })
  await press(page, edit)
  const dialog = page.getByRole('dialog', { name: 'Edit User' })
  await expect(dialog.getByLabel('First name')).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(edit).toBeFocused()

  const more = rowOf(page, person.email).getByRole('button', { name: /^More for/ })
  await press(page, more)
  await expect(page.getByRole('menuitem', { name: 'Reset Password' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Reset Password' })).toBeFocused()
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeFocused()
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: `Delete ${person.name}?` })
  await expect(question).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(more).toBeFocused()

  const version = page.getByRole('button', { name: /^Version/ })
  await press(page, version)
  const changelog = page.getByRole('dialog', { name: 'Changelog' })
  await expect(changelog).toContainText('Version 1.0.1')
  await page.keyboard.press('Escape')
  await expect(changelog).toBeHidden()
  await expect(version).toBeFocused()
})

test('on a phone the menu returns the focus', async ({ page, people }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await enter(page, await people.client())
  await page.goto('/settings')
  const open = page.getByRole('button', { name: 'Open the menu' })
  await press(page, open)
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await expect(menu.getByRole('link', { name: 'My Instances' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(open).toBeFocused()
})

test('a pressed button keeps the focus while it works, and no second Enter sends anything', async ({
  page,
  people,
}) => {
  await enter(page, await people.client())
  await page.goto('/settings?tab=security')
  await page.getByLabel('Current password').fill('not the one')
  await page.getByLabel('New password', { exact: true }).fill('a password for later')
  const last = page.getByLabel('Confirm new password')
  await last.fill('a password for later')
  const answered = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/api/account/password', async (route) => {
    sent += 1
    await answered.promise
    await route.continue()
  })
  const change = page.getByRole('button', { name: 'Change password' })
  await press(page, change)
  await expect(change).toBeDisabled()
  await expect(change).toBeFocused()
  await page.keyboard.press('Enter')
  await last.press('Enter')
  await change.focus()
  answered.resolve()
  await expect(change).toBeEnabled()
  await expect(change).toBeFocused()
  expect(sent).toBe(1)
})
