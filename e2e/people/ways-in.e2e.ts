import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { beginApp, codeFor, press } from '../acts/second-factor.ts'
import { expect, fillSignIn, test } from '../house/fixtures.ts'

test('a second factor is set up, asked for at the sign-in, and turned off', async ({
  page,
  people,
  axe,
  elsewhere,
}) => {
  const person = await people.client()
  await enter(page, person)
  await page.goto('/settings?tab=security')
  const secret = await beginApp(page, person)
  await axe()
  await page.getByLabel('Code that the app shows').fill(codeFor(secret))
  await press(page, 'Turn on')
  await expectToast(page, 'Second factor is on')
  const paper = await page
    .getByRole('listitem')
    .filter({ hasText: /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/ })
    .allInnerTexts()
  expect(paper).toHaveLength(10)
  await press(page, 'I have saved these')
  await expect(page.getByText('10 of 10')).toBeVisible()

  const other = await elsewhere()
  await other.goto('/login')
  await fillSignIn(other, person.username, person.password)
  const code = other.getByLabel('Code of your authenticator app')
  await expect(code).toBeFocused()
  await code.fill('12')
  await press(other, 'Sign In')
  await expect(other.getByRole('alert').filter({ hasText: 'This code is not right' })).toBeVisible()
  await code.fill(codeFor(secret, 1))
  await press(other, 'Sign In')
  await expect(other.getByRole('button', { name: 'Logout' })).toBeVisible()

  await press(page, 'Turn off')
  await page.getByLabel('Your password').fill(person.password)
  await page.getByLabel('Code', { exact: true }).fill(paper[0] ?? '')
  await press(page, 'Turn off')
  await expect(page.getByText('With it, a stolen password alone opens nothing')).toBeVisible()
})

test('a recovery kit is made, used, seen in an open session and stopped there', async ({
  page,
  people,
  axe,
  elsewhere,
}) => {
  const person = await people.client()
  await enter(page, person)
  await page.goto('/settings?tab=recovery')
  await page.getByLabel('Your password').fill(person.password)
  await press(page, 'Make a recovery kit')
  await expect(page.getByRole('img', { name: 'QR code with username and words' })).toBeVisible()
  const words = (await page.locator('ol li span.font-semibold').allInnerTexts()).join(' ')
  expect(words.split(' ')).toHaveLength(12)
  await axe()
  await press(page, 'I have it on paper')

  const fresh = await elsewhere()
  await fresh.goto('/login')
  await fresh.getByRole('link', { name: 'Use your recovery kit' }).click()
  await fresh.getByLabel('Username').fill(person.username)
  await fresh.getByLabel('Twelve words').fill(`${words} wrong`)
  await fresh.getByLabel('New password').fill('made on a fresh machine')
  await press(fresh, 'Start recovery')
  await expect(fresh.getByRole('alert').filter({ hasText: 'not right' })).toBeVisible()
  await fresh.getByLabel('Twelve words').fill(words)
  await press(fresh, 'Start recovery')
  await expect(fresh.getByRole('heading', { name: 'Your recovery has started' })).toBeVisible()

  const banner = page.getByRole('complementary', { name: 'Recovery' })
  await expect(banner).toBeVisible()
  await axe()
  await banner.getByRole('button', { name: 'Stop it' }).click()
  await expectToast(page, 'Recovery stopped')
  await expect(banner).toBeHidden()
})
