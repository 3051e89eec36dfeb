import type { Page } from '@playwright/test'
import { buy, PROVISIONED, vmOf, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const NAME = 'Ferry, 1 CPU, 1 GB RAM, 20 GB SSD'

async function makeCode(page: Page): Promise<string> {
  await page.getByRole('button', { name: `Hand over ${NAME}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Hand over' })
  await expect(dialog).toContainText('You lose it at once')
  await dialog.getByRole('button', { name: 'Make a code' }).click()
  const code = await dialog.getByText(/^([0-9A-Z]{5}-){5}[0-9A-Z]$/).innerText()
  await page.keyboard.press('Escape')
  await expect(dialog).toContainText('not shown again')
  await dialog.getByRole('button', { name: 'Close' }).first().click()
  return code
}

async function accept(page: Page, code: string): Promise<void> {
  await page.goto('/my-instances')
  await page.getByRole('button', { name: 'Accept a server' }).click()
  const dialog = page.getByRole('dialog', { name: 'Accept a server' })
  await expect(dialog).toContainText('The former owner could have left a way in')
  await dialog.getByLabel('Code').fill(code)
  await dialog.getByRole('button', { name: 'Accept', exact: true }).click()
}

test('a client hands a server to another account, and has no way to it afterwards', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  test.slow()
  const { card } = await buy(page, { people, shop }, NAME)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  const before = vmOf(shop, NAME)?.guest.password ?? ''
  await card.getByRole('link', { name: NAME, exact: true }).click()
  const withdrawn = await makeCode(page)
  await expect(page.getByText('A code to hand this server over is open')).toBeVisible()
  await page.reload()
  await expect(page.getByText('A code to hand this server over is open')).toBeVisible()
  await expect(page.getByText(withdrawn)).toBeHidden()
  await page.getByRole('button', { name: `Withdraw the code of ${NAME}` }).click()
  await expectToast(page, 'Code withdrawn')
  await expect(page.getByText('A code to hand this server over is open')).toBeHidden()

  const receiver = await elsewhere()
  await enter(receiver, await people.anonymous())
  await accept(receiver, withdrawn)
  await expectToast(receiver, 'This code is not valid. Ask for a new one.')
  const code = await makeCode(page)
  await accept(receiver, code.toLowerCase())
  await expectToast(receiver, 'The server is yours')

  // The giver's open page learns it by itself.
  await expect(page.getByText('There is no such server')).toBeVisible()
  await page.goto('/my-instances')
  await expect(page.getByText('No instances found')).toBeVisible()
  await page.goto('/settings?tab=activity')
  await expect(page.getByText('Server handed over to another account').first()).toBeVisible()

  await receiver.getByRole('link', { name: 'Open the server' }).click()
  const reveal = receiver.getByRole('button', { name: /^Reveal the login/ })
  await expect(reveal).toBeVisible(PROVISIONED)
  const password = vmOf(shop, NAME)?.guest.password ?? ''
  expect(password).not.toBe(before)
  await reveal.click()
  const login = receiver.getByRole('dialog', { name: 'Reveal login' })
  await login.getByRole('button', { name: 'Reveal' }).click()
  await expect(login.getByText(password, { exact: true })).toBeVisible()
  await login.getByRole('button', { name: 'Close' }).first().click()
  await receiver.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(receiver.getByText('Server taken over from another account')).toBeVisible()
  await expect(receiver.getByText('Bought')).toBeHidden()
})
