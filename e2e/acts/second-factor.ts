import type { Page } from '@playwright/test'
import { codeOf, stepAt } from '../../src/server/second-factor/totp.ts'
import { expect } from '../house/fixtures.ts'
import { expectToast } from './looking.ts'
import type { Credentials } from './people.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code of an authenticator app for this secret; a step ahead, because each works once. */
export function codeFor(secret: string, ahead = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  return codeOf(key, stepAt(new Date()) + ahead)
}

export const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click()

/** From Settings → Security to the secret of the app. */
export async function beginApp(page: Page, { password }: Credentials): Promise<string> {
  await press(page, 'Set up a second factor')
  await page.getByLabel('Your password').fill(password)
  await press(page, 'Set up')
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const shown = await page.locator('.break-all').innerText()
  return shown.replaceAll(/\s/g, '')
}

/** An authenticator app is set up, and its codes are saved. */
export async function setUpApp(page: Page, person: Credentials): Promise<string> {
  const secret = await beginApp(page, person)
  await page.getByLabel('Code that the app shows').fill(codeFor(secret))
  await press(page, 'Turn on')
  await expectToast(page, 'Second factor is on')
  await press(page, 'I have saved these')
  return secret
}
