import type { BrowserContextOptions, Locator, Page } from '@playwright/test'
import { makeToken } from '../acts/customer.ts'
import { harden } from '../acts/harden.ts'
import { press as pressByKeyboard } from '../acts/keys.ts'
import { expectToast, overflowOf } from '../acts/looking.ts'
import type { People } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

// From the landing page to a server that is bought, switched off and on, and out again; with
// different abilities and devices.

type Press = (page: Page, target: Locator, key?: string) => Promise<void>
type Traveller = { who: string; options?: BrowserContextOptions; press?: Press; init?: () => void }

const click: Press = (_, target) => target.click()

const TRAVELLERS: readonly Traveller[] = [
  { who: 'by keyboard alone', press: pressByKeyboard },
  { who: 'on a phone of 360 pixels', options: { viewport: { width: 360, height: 800 } } },
  {
    // At 200 % a window of 1440 by 900 has half as many CSS pixels.
    who: 'at 200 % zoom without motion',
    options: {
      viewport: { width: 720, height: 450 },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    },
  },
  { who: 'in a hardened browser', init: harden },
]
const PROVISIONED = { timeout: 60_000 }

for (const [index, { who, options = {}, press = click, init }] of TRAVELLERS.entries()) {
  test(`register, buy, power and leave ${who}`, async ({ elsewhere, people }) => {
    test.setTimeout(120_000)
    const page = await elsewhere(options)
    if (init) await page.addInitScript(init)
    await people.forgetDevices()
    await register(page, press)
    await buy(page, press, people, index)
    await usePower(page, press)
    await leave(page, press)
  })
}

async function register(page: Page, press: Press): Promise<void> {
  await page.goto('/')
  await fits(page)
  await press(page, page.getByRole('banner').getByRole('link', { name: 'Get Started' }))
  await press(page, page.getByRole('checkbox', { name: /Terms of Service/ }), 'Space')
  await press(page, page.getByRole('button', { name: 'Create Account' }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Save your username/)
  await fits(page)
  await press(page, page.getByRole('button', { name: 'Copy both' }))
  await press(page, page.getByRole('button', { name: 'I have saved these' }))
  await expect(page.getByText('No VPS Tokens Yet')).toBeVisible()
  await fits(page)
}

async function buy(page: Page, press: Press, people: People, index: number): Promise<void> {
  const address = `203.0.113.${160 + index}`
  const name = `Journey ${index}, 1 CPU, 1 GB RAM`
  await makeToken(people.ask, { name, days: 30, price: '4.00', address })
  await press(page, page.getByRole('link', { name: 'Choose a server' }))
  await press(page, page.getByRole('button', { name: `Buy: ${name}` }))
  await fits(page)
  await press(page, page.getByRole('alertdialog').getByRole('button', { name: /^Buy for/ }))
  const card = page.getByRole('article', { name })
  await expect(card.getByText(`ssh debian@${address}`, { exact: true })).toBeVisible(PROVISIONED)
  await fits(page)
  await press(page, card.getByRole('link', { name: /^Power and usage/ }))
}

async function usePower(page: Page, press: Press): Promise<void> {
  const button = (name: RegExp) => page.getByRole('button', { name })
  await expect(button(/^Shutdown /)).toBeEnabled(PROVISIONED)
  await fits(page)
  await press(page, button(/^Shutdown /))
  // A guest that has just booted needs a while to receive the request.
  await expectToast(page, 'Instance shutdown successfully', '', PROVISIONED)
  await expect(button(/^Start /)).toBeEnabled(PROVISIONED)
  await press(page, button(/^Start /))
  await expectToast(page, 'Instance started successfully')
  await expect(button(/^Restart /)).toBeEnabled(PROVISIONED)
  await press(page, button(/^Restart /))
  await expectToast(page, 'Instance restarted successfully', '', PROVISIONED)
}

async function leave(page: Page, press: Press): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open the menu' })
  if (await menu.isVisible()) await press(page, menu)
  await press(page, page.getByRole('button', { name: 'Logout' }))
  await expectToast(page, 'Logged out successfully', 'You have been signed out of your account')
  await expect(page).toHaveURL('/login')
}

/** Nothing needs horizontal scrolling. */
const fits = (page: Page) => expect.poll(() => overflowOf(page)).toEqual([])
