import type { Page } from '@playwright/test'
import { whoIsIn } from '../acts/people.ts'
import { expect, fillSignIn, signInByForm, test } from '../house/fixtures.ts'

test.beforeEach(({ people }) => people.forgetDevices())

/** A browser that resists fingerprinting returns noise when a canvas is read. */
function noise(): void {
  const { getImageData } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.getImageData = function (...given) {
    const image = getImageData.apply(this, given)
    for (let n = 0; n < image.data.length; n += 1) image.data[n] = Math.random() * 255
    return image
  }
}

async function register(page: Page): Promise<void> {
  await page.goto('/register')
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByRole('button', { name: 'Create Account' }).click()
}

const credentials = (page: Page) => page.getByRole('heading', { name: /Save your username/ })

test('browsers that resist fingerprinting count as three devices, not one', async ({
  page,
  elsewhere,
}) => {
  for (const one of [page, await elsewhere(), await elsewhere()]) {
    await one.addInitScript(noise)
    await register(one)
    await expect(credentials(one)).toBeVisible()
  }
})

test('the refusal of a device stays on the page and says what to do', async ({
  page,
  elsewhere,
}) => {
  await register(page)
  await expect(credentials(page)).toBeVisible()
  const again = await elsewhere()
  await register(again)
  const refusal = again.getByRole('alert').filter({ hasText: 'Device Already Registered' })
  await expect(refusal).toContainText('Only one account per device is allowed')
  await expect(refusal.getByRole('link', { name: 'Sign in' })).toBeVisible()
  await expect(refusal).toContainText('another browser')
  await expect(refusal).toContainText('release this device')
})

test('reloading the credentials page asks first and keeps the only copy of the password', async ({
  page,
}) => {
  // The reload cuts off the sign-in that follows the registration.
  await page.route('**/api/auth/login', () => undefined, { times: 1 })
  await register(page)
  await expect(credentials(page)).toBeVisible()
  const shown = await page.getByRole('definition').allInnerTexts()
  const asked = page.waitForEvent('dialog')
  const reloaded = page.reload()
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.accept()
  await reloaded
  await expect(credentials(page)).toBeVisible()
  expect(await page.getByRole('definition').allInnerTexts()).toEqual(shown)
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await page.waitForURL('/')
  expect(await page.evaluate(() => sessionStorage.getItem('newAccount'))).toBeNull()
})

test('the form itself says why a sign-in failed', async ({ page }) => {
  await page.goto('/login')
  await fillSignIn(page, '1234567', 'wrong')
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    'Invalid username/email or password.',
  )
})

test('changing the password does not show “Reconnecting…”', async ({ page, people }) => {
  const person = await people.client()
  await signInByForm(page, person.username, person.password)
  await page.goto('/settings?tab=security')
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.body.innerText.includes('Reconnecting…')) document.body.dataset.lost = 'yes'
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await page.getByLabel('Current password').fill(person.password)
  await page.getByLabel('New password', { exact: true }).fill('a fresh password of mine')
  await page.getByLabel('Confirm new password').fill('a fresh password of mine')
  const streams = page.waitForRequest(
    (request) => new URL(request.url()).pathname === '/api/events',
  )
  await page.getByRole('button', { name: 'Change password' }).click()
  await streams
  expect(await page.evaluate(() => document.body.dataset.lost)).toBeUndefined()
})

test('a client deletes the account in Settings', async ({ page, people }) => {
  const person = await people.client()
  await signInByForm(page, person.username, person.password)
  await page.goto('/settings?tab=data')
  await page.getByLabel('Your password').fill(person.password)
  await page.getByLabel(/Type your username/).fill(person.username)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await expect(page).toHaveURL('/')
  await expect.poll(() => whoIsIn(page)).toBeUndefined()
})
