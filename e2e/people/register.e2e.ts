import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { harden } from '../acts/harden.ts'
import { clipboardOf, expectToast } from '../acts/looking.ts'
import { whoIsIn } from '../acts/people.ts'
import { expect, fillSignIn, test } from '../house/fixtures.ts'

const TAKEN =
  'This device already has an account. Only one account per device is allowed for security purposes.'

test.beforeEach(({ people }) => people.forgetDevices())

test('one checkbox and one press give credentials to keep, then the dashboard', async ({
  page,
}) => {
  await page.goto('/')
  await page.getByRole('banner').getByRole('link', { name: 'Get Started' }).click()
  await createAccount(page)

  const { username, password } = await copiedCredentials(page)
  expect(username).toMatch(/^[1-9]\d{6}$/)
  expect(password).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]$/)
  const shown = await page.getByRole('definition').allInnerTexts()
  expect(shown.map((text) => text.replaceAll(/\s/g, ''))).toEqual([
    expect.stringContaining(username),
    expect.stringContaining(password),
  ])
  await expect(page.getByRole('img', { name: 'QR code with username and password' })).toBeVisible()

  await page.getByRole('button', { name: 'Copy both' }).click()
  await expect.poll(() => clipboardOf(page)).toContain(username)
  const both = await clipboardOf(page)
  expect(both).toContain(password)
  expect(await downloadedText(page)).toBe(both)

  // Signed in at once, but the page stays until the visitor continues.
  await expect.poll(() => whoIsIn(page)).toMatchObject({ username, role: 'client' })
  await expect(page).toHaveURL('/register')
  const pressed = Date.now()
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await page.waitForURL('/')
  expect(Date.now() - pressed).toBeGreaterThanOrEqual(1_000)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
  await expect(page.getByRole('button', { name: 'Client User' })).toBeVisible()
  await expect(page.getByText(password)).toHaveCount(0)
})

test('without accepting the terms nothing is created', async ({ page, people }) => {
  const before = await people.list()
  await page.goto('/register')
  await page.getByRole('button', { name: 'Create Account' }).click()
  const terms = page.getByRole('checkbox', { name: /Terms of Service/ })
  await expect(page.getByRole('alert')).toHaveText(
    'You must agree to the terms of service to continue.',
  )
  await expect(terms).toBeFocused()
  await expect(terms).toHaveAccessibleDescription(/must agree to the terms/)
  expect(await people.list()).toHaveLength(before.length)

  await terms.check()
  await expect(page.getByRole('alert')).toBeHidden()
})

test('a device has one account', async ({ page, elsewhere }) => {
  await page.goto('/register')
  await createAccount(page)
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  await page.goto('/register')
  await pressCreate(page)
  await expectToast(page, 'Device Already Registered', TAKEN)
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeEnabled()

  // A private window of the same browser is the same device.
  const privately = await elsewhere()
  await privately.goto('/register')
  await pressCreate(privately)
  await expectToast(privately, 'Device Already Registered', TAKEN)
})

test('a browser without canvas, WebGL and storage gets an account as well', async ({ page }) => {
  await page.addInitScript(harden)
  await page.goto('/register')
  await expect(page.evaluate(() => localStorage.length)).rejects.toThrow('denied')
  await createAccount(page)
  const { username } = await copiedCredentials(page)
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await page.waitForURL('/')
  expect(await whoIsIn(page)).toMatchObject({ username })
})

test('the browser asks before the only copy is lost, and going back does not lose it', async ({
  page,
}) => {
  await page.goto('/register')
  await createAccount(page)
  const { password } = await copiedCredentials(page)
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()

  await page.getByRole('banner').getByRole('link', { name: 'Pricing' }).click()
  await expect(page).toHaveURL('/pricing')
  await page.goBack()
  await expect(page.getByRole('definition').nth(1)).toContainText(password)
})

test('the plan a visitor orders is kept through the registration', async ({ page }) => {
  await page.goto('/')
  const plan = page.getByRole('region', { name: 'Plans' }).getByRole('article').nth(1)
  const name = (await plan.getByRole('heading').textContent()) ?? ''
  await plan.getByRole('link', { name: `Order ${name}` }).click()
  await expect(page.getByText(`You chose ${name}.`)).toBeVisible()
  await createAccount(page)
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await expect(page).toHaveURL(/\/pricing\?plan=/)
  await expect(page.getByRole('dialog', { name: `Order ${name}` })).toBeVisible()
})

test('the plan is kept through the sign-in of a visitor with an account', async ({
  page,
  people,
}) => {
  const { username, password } = await people.anonymous()
  await page.goto('/pricing')
  const plan = page.getByRole('article').first()
  const name = (await plan.getByRole('heading').textContent()) ?? ''
  await plan.getByRole('link', { name: `Order ${name}` }).click()
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click()
  await fillSignIn(page, username, password)
  await expect(page).toHaveURL(/\/pricing\?plan=/)
  await expect(page.getByRole('dialog', { name: `Order ${name}` })).toBeVisible()
})

async function pressCreate(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByRole('button', { name: 'Create Account' }).click()
}

async function createAccount(page: Page): Promise<void> {
  await pressCreate(page)
  await expect(
    page.getByRole('heading', { name: 'Save your username and password now' }),
  ).toBeVisible()
}

async function copiedCredentials(page: Page): Promise<{ username: string; password: string }> {
  const lines = page.getByRole('definition')
  const copy = async (index: number, label: string) => {
    await lines.nth(index).getByRole('button', { name: label }).click()
    await expect(lines.nth(index).getByRole('button', { name: 'Copied' })).toBeVisible()
    return await clipboardOf(page)
  }
  return { username: await copy(0, 'Copy username'), password: await copy(1, 'Copy password') }
}

async function downloadedText(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download .txt' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/\.txt$/)
  return await readFile(await download.path(), 'utf8')
}
