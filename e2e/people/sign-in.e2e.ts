import { expectToast, recordVisits, settled } from '../acts/looking.ts'
import { admin, enter, whoIsIn } from '../acts/people.ts'
import { expect, fillSignIn, signInByForm, test } from '../house/fixtures.ts'

const WRONG = 'Invalid username/email or password.'

test('sign-in works by username, and by e-mail in any case', async ({
  page,
  elsewhere,
  people,
}) => {
  const person = await people.client()
  await signInByForm(page, person.username, person.password)
  await expect(page).toHaveURL('/')
  expect(await whoIsIn(page)).toMatchObject({ username: person.username })

  const second = await elsewhere()
  await signInByForm(second, person.email.toUpperCase(), person.password)
  expect(await whoIsIn(second)).toMatchObject({ username: person.username })
})

test('a username may be typed with its visible gaps', async ({ page, people }) => {
  const { username, password } = await people.anonymous()
  await signInByForm(page, `${username.slice(0, 3)} ${username.slice(3)}`, password)
  expect(await whoIsIn(page)).toMatchObject({ username })
})

test('an empty field is reported before anything is sent', async ({ page }) => {
  await page.goto('/login')
  for (const [name, password] of [
    ['', ''],
    ['1234567', ''],
    ['', 'secret'],
  ] as const) {
    await fillSignIn(page, name, password)
    await expectToast(page, 'Missing Credentials', 'Please enter both username/email and password.')
    await page.getByRole('button', { name: 'Close' }).click()
  }
})

test('unknown, wrong and inactive get one answer', async ({ page, people }) => {
  const active = await people.client()
  const inactive = await people.client({ isActive: false })
  await page.goto('/login')
  for (const [name, password] of [
    ['1000000', 'no such account'],
    [active.username, 'not the password'],
    [inactive.username, inactive.password],
  ] as const) {
    await fillSignIn(page, name, password)
    await expectToast(page, 'Login Failed', WRONG)
    await page.getByRole('button', { name: 'Close' }).click()
  }
  expect(await whoIsIn(page)).toBeUndefined()
})

test('logout is confirmed and ends the session', async ({ page, people }) => {
  await enter(page, await people.client())
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expectToast(page, 'Logged out successfully', 'You have been signed out of your account')
  await expect(page).toHaveURL('/login')
  await expect(page.getByText('Your session has ended')).toBeHidden()
  expect(await whoIsIn(page)).toBeUndefined()
  // Going back shows nothing of the account.
  await page.goBack()
  await expect(page).toHaveURL(/\/login/)
})

test('signing out and leaving at once still signs out', async ({ page, elsewhere, people }) => {
  await enter(page, await people.client())
  await page.goto('/settings')
  const session = await page.context().cookies()
  const other = await elsewhere()
  await other.context().addCookies(session)
  expect(await whoIsIn(other)).toBeDefined()
  await page.getByRole('button', { name: 'Logout' }).evaluate((button: HTMLElement) => {
    button.click()
    location.replace('about:blank')
  })
  await expect.poll(() => whoIsIn(other)).toBeUndefined()
})

test('a protected page leads to the sign-in page and back', async ({ page, people }) => {
  const { username, password } = await people.client()
  await page.goto('/settings?tab=security')
  await expect(page).toHaveURL(/\/login\?/)
  await fillSignIn(page, username, password)
  await expect(page).toHaveURL('/settings?tab=security')
  await expect(page.getByRole('tab', { name: 'Security' })).toHaveAttribute('aria-selected', 'true')
})

for (const next of ['https://example.com/', '//example.com/', '/\\example.com', 'javascript:1']) {
  test(`signing in never leads to ${next}`, async ({ page, people }) => {
    const { username, password } = await people.client()
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await fillSignIn(page, username, password)
    await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
    await expect(page).toHaveURL('/')
  })
}

test('an unknown path is the landing page to a visitor', async ({ page }) => {
  await page.goto('/no-such-page')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Nobody asks who you are/)
})

for (const path of ['/no-such-page', '/my-instances']) {
  test(`${path} is a 404 page to an administrator`, async ({ page }) => {
    await enter(page, admin)
    await page.goto(path)
    await expect(page.getByText('404: there is no page at this address')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(page).toHaveURL('/')
  })
}

for (const path of ['/no-such-page', '/users']) {
  test(`${path} is My VPS Dashboard to a client`, async ({ page, people }) => {
    await enter(page, await people.client())
    await page.goto('/client-dashboard')
    await settled(page)
    const main = page.getByRole('main')
    // The last part of the dashboard comes in a chunk of its own.
    await expect(main).toContainText('Latest updates')
    const dashboard = await main.innerText()
    await page.goto(path)
    await settled(page)
    await expect(main).toHaveText(dashboard, { useInnerText: true })
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
  })
}

test('a visible page learns at once that its session ended', async ({ page, people }) => {
  const person = await people.client()
  await enter(page, person)
  await page.goto('/settings?tab=activity')
  await expect(page.getByText('Signed in')).toBeVisible()
  const visits = recordVisits(page)
  const newPassword = await people.resetPassword(person.id)
  await expect(page.getByText('Your session has ended. Please sign in again.')).toBeVisible()
  expect(visits).toHaveLength(1)

  await fillSignIn(page, person.username, newPassword)
  await expect(page).toHaveURL('/settings?tab=activity')
})

test('a page in the background learns it with its next action, once', async ({ page, people }) => {
  const person = await people.client()
  // A hidden page does not listen.
  await page.addInitScript(() => Object.defineProperty(document, 'hidden', { get: () => true }))
  await enter(page, person)
  await page.goto('/settings?tab=security')
  await page.getByLabel('Current password').fill(person.password)
  await page.getByLabel('New password', { exact: true }).fill('another password')
  await page.getByLabel('Confirm new password').fill('another password')
  const visits = recordVisits(page)
  const newPassword = await people.resetPassword(person.id)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Your session has ended. Please sign in again.')).toBeVisible()
  expect(visits).toHaveLength(1)

  await fillSignIn(page, person.username, newPassword)
  await expect(page).toHaveURL('/settings?tab=security')
})
