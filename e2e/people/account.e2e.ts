import type { Page } from '@playwright/test'
import { chooseFromAccountMenu } from '../acts/account-menu.ts'
import { expectToast } from '../acts/looking.ts'
import { admin, enter, whoIsIn } from '../acts/people.ts'
import { expect, fillSignIn, test } from '../house/fixtures.ts'

test('a password is changed, after every validation sentence was shown', async ({
  page,
  people,
  elsewhere,
}) => {
  const person = await people.client()
  const other = await elsewhere()
  await enter(other, person)
  await enter(page, person)
  await page.goto('/settings?tab=security')
  const change = (current: string, next: string, again = next) =>
    changePassword(page, current, next, again)

  await change('', '')
  for (const [label, sentence] of [
    ['Current password', 'Please enter your current password'],
    ['New password', 'Password must be at least 8 characters'],
    ['Confirm new password', 'Please confirm your password'],
  ] as const) {
    await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(sentence)
  }
  await expect(page.getByLabel('Current password')).toBeFocused()
  await change(person.password, 'a new password', 'another password')
  await expect(page.getByLabel('Confirm new password')).toHaveAccessibleDescription(
    "Passwords don't match",
  )
  await change('not my password', 'a new password')
  await expectToast(page, 'Password change failed', 'Your current password is not right.')
  expect(await whoIsIn(other)).toBeDefined()

  await change(person.password, 'a new password')
  await expectToast(page, 'Password changed', 'Your other sessions have ended.')
  await expect(page.getByLabel('Current password')).toHaveValue('')
  await expect(page.getByText('This session')).toBeVisible()
  expect(await whoIsIn(page)).toBeDefined()
  expect(await whoIsIn(other)).toBeUndefined()

  await other.goto('/login')
  await fillSignIn(other, person.username, person.password)
  await expectToast(other, 'Login Failed')
  await fillSignIn(other, person.username, 'a new password')
  await expect(other.getByRole('button', { name: 'Logout' })).toBeVisible()
})

test('one session is ended from the list', async ({ page, people, elsewhere }) => {
  const person = await people.client()
  const other = await elsewhere({ userAgent: 'Mozilla/5.0 (Android 15) Firefox/150.0' })
  await enter(other, person)
  await other.goto('/settings')
  await enter(page, person)
  await page.goto('/settings?tab=security')
  const mine = page.getByRole('listitem').filter({ hasText: 'This session' })
  const theirs = page.getByRole('listitem').filter({ hasText: 'Firefox on Android' })
  await expect(mine).toHaveCount(1)
  await expect(mine.getByRole('button', { name: /^End/ })).toHaveCount(0)
  await theirs.getByRole('button', { name: 'End the session on Firefox on Android' }).click()
  await expectToast(page, 'Session ended')
  await expect(theirs).toHaveCount(0)
  await expect(mine).toBeVisible()
  await expect(other).toHaveURL(/\/login/)
  await expect(other.getByText('Your session has ended')).toBeVisible()
})

test('signing out everywhere asks first and ends all sessions', async ({
  page,
  people,
  elsewhere,
}) => {
  const person = await people.client()
  const other = await elsewhere()
  await enter(other, person)
  await other.goto('/profile')
  await enter(page, person)
  await page.goto('/settings?tab=security')
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  const question = page.getByRole('alertdialog', { name: 'Sign out everywhere?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toBeHidden()
  expect(await whoIsIn(other)).toBeDefined()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await question.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expectToast(page, 'Signed out everywhere', 'Every session of this account has ended.')
  await expect(page).toHaveURL(/\/login/)
  await expect(other).toHaveURL(/\/login/)
  expect(await whoIsIn(page)).toBeUndefined()
  expect(await whoIsIn(other)).toBeUndefined()
})

test('a theme survives a reload without a flash', async ({ page, people }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await enter(page, await people.client())
  await page.goto('/settings?tab=appearance')
  const light = await paperOf(page)
  await page.getByText('Dark', { exact: true }).click()
  await expect.poll(() => paperOf(page)).not.toBe(light)
  const dark = await paperOf(page)
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()

  await page.addInitScript(recordPapers)
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
  expect(await papersOf(page)).toEqual([dark])

  await page.getByText('System', { exact: true }).click()
  await expect.poll(() => paperOf(page)).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => paperOf(page)).toBe(dark)
})

test('the activity lists sign-ins, successful and failed', async ({ page, people, signIn }) => {
  const { username, password } = await people.anonymous()
  await page.goto('/login')
  await fillSignIn(page, username, 'not the password')
  await expectToast(page, 'Login Failed')
  await signIn(username, password)
  await chooseFromAccountMenu(page, 'Settings')
  await page.getByRole('tab', { name: 'Activity' }).click()
  const events = page.getByRole('tabpanel').getByRole('listitem')
  await expect(events).toHaveText([
    /^Signed in\s*You/,
    /^Sign-in failed\s*Somebody with a wrong password/,
    /^Account created/,
  ])
})

for (const width of [1440, 360]) {
  test(`the account menu reaches every page of a client's own at ${width} px`, async ({
    page,
    people,
    signIn,
  }) => {
    const { username, password } = await people.anonymous()
    await signIn(username, password)
    await page.setViewportSize({ width, height: 800 })
    for (const [label, path] of [
      ['Billing', '/billing'],
      ['My tokens', '/my-tokens'],
      ['Profile', '/profile'],
      ['Settings', '/settings'],
    ] as const) {
      await chooseFromAccountMenu(page, label)
      await expect(page).toHaveURL(path)
    }
    await chooseFromAccountMenu(page, 'Latest updates')
    await expect(page.getByRole('dialog')).toContainText('1.0.1')
    await page.keyboard.press('Escape')
    await chooseFromAccountMenu(page, 'Logout')
    await expect(page).toHaveURL('/login')
  })
}

test('the audit log is filtered in the address', async ({ page, people }) => {
  const person = await people.client()
  await people.resetPassword(person.id)
  await enter(page, admin)
  await page.goto('/settings?tab=audit')
  const actions = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await page.getByLabel('Action').selectOption('Password reset')
  await expect(page).toHaveURL(/tab=audit&action=user\.reset-password/)
  await expect(actions.filter({ hasText: `user:${person.id}` })).toHaveCount(1)
  await expect(actions.filter({ hasText: 'Signed in' })).toHaveCount(0)

  await page.reload()
  await expect(page.getByLabel('Action')).toHaveValue('user.reset-password')
  await expect(actions.filter({ hasText: `user:${person.id}` })).toHaveCount(1)
  await expect(actions.filter({ hasText: 'Signed in' })).toHaveCount(0)

  await actions
    .nth(1)
    .getByRole('button', { name: `Show only ${admin.username}` })
    .click()
  await expect(page).toHaveURL(/userId=\d+/)
  await page.getByRole('button', { name: 'Show all accounts' }).click()
  await expect(page).not.toHaveURL(/userId/)
  await page.goBack()
  await expect(page).toHaveURL(/userId=\d+/)
})

async function changePassword(page: Page, current: string, next: string, again: string) {
  await page.getByLabel('Current password').fill(current)
  await page.getByLabel('New password', { exact: true }).fill(next)
  await page.getByLabel('Confirm new password').fill(again)
  await page.getByRole('button', { name: 'Change password' }).click()
}

/** The background colour. */
const paperOf = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor)

/** Runs in the page: records the colour of every painted frame, including the first. */
function recordPapers(): void {
  const papers: string[] = []
  Object.assign(window, { papers })
  const look = () => {
    if (document.body) papers.push(getComputedStyle(document.body).backgroundColor)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

const papersOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...new Set((window as unknown as { papers: string[] }).papers)])
