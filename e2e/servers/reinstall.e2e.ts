import type { Page } from '@playwright/test'
import { buy, PROVISIONED, vmOf, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const NAME = 'Anchor, 1 CPU, 1 GB RAM, 20 GB SSD'

/** The password on the page of the server, once revealed. */
async function expectPassword(page: Page, password: string): Promise<void> {
  await page.getByRole('button', { name: /^Reveal the login/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Reveal login' })
  await dialog.getByRole('button', { name: 'Reveal' }).click()
  await expect(dialog.getByText(password, { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).first().click()
}

test('a client gives a server a new password, then another system with one more', async ({
  page,
  people,
  shop,
}) => {
  test.slow()
  const { card } = await buy(page, { people, shop }, NAME)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  const vm = vmOf(shop, NAME)
  const before = { net0: vm?.config.net0, password: vm?.guest.password ?? '' }
  await card.getByRole('link', { name: NAME, exact: true }).click()
  await expectPassword(page, before.password)

  await page.getByRole('button', { name: 'New password' }).click()
  const question = page.getByRole('alertdialog', { name: `A new password for ${NAME}?` })
  await expect(question).toContainText('The server restarts to take it')
  await question.getByRole('button', { name: 'Set a new password' }).click()
  await expectToast(page, 'A new password is being set')
  await expect(page.getByText('Updating', { exact: true })).toBeVisible()
  await expect.poll(() => vm?.guest.booted.password, PROVISIONED).not.toBe(before.password)
  await expect(page.getByText('Running', { exact: true })).toBeVisible(PROVISIONED)
  before.password = vm?.guest.booted.password ?? ''
  await expectPassword(page, before.password)

  await page.getByRole('button', { name: `Reinstall ${NAME}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Reinstall' })
  await expect(dialog).toContainText('Everything on the disk is lost')
  await dialog.getByLabel('Operating system').selectOption('Rocky Linux 9')
  const confirm = dialog.getByRole('button', { name: 'Reinstall' })
  await dialog.getByRole('textbox').fill('not this one')
  await expect(confirm).toBeDisabled()
  await dialog.getByRole('textbox').fill(String(vm?.vmid))
  await dialog.getByText('Start-up script or cloud-config').click()
  const script = dialog.getByLabel('It runs once, as root, at the first start')
  await script.fill('#cloud-config\npackages: [git\n')
  await confirm.click()
  await expect(dialog.getByText(/^Line \d: /)).toBeVisible()
  await script.fill('')
  await dialog.getByRole('button', { name: 'Docker' }).click()
  await confirm.click()
  await expectToast(page, 'Reinstallation started')
  await expect(page.getByText('Reinstalling', { exact: true })).toBeVisible()
  await expect(page.getByRole('progressbar', { name: `Reinstall ${NAME}` })).toBeVisible()
  await expect(page.getByRole('button', { name: `Reinstall ${NAME}` })).toBeDisabled()

  await expect(page.getByText(/^ssh rocky@/)).toBeVisible(PROVISIONED)
  await expect(page.getByText('Rocky Linux 9')).toBeVisible()
  await expect(page.getByText('Running', { exact: true })).toBeVisible()
  expect(vm?.config.net0).toBe(before.net0)
  expect(Buffer.from(vm?.guest.seed ?? '', 'base64').toString()).toContain('docker.io')
  const password = vm?.guest.password ?? ''
  expect(password).not.toBe(before.password)
  await expectPassword(page, password)
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(page.getByText('New system installed')).toBeVisible()
  await expect(page.getByText('Reinstallation started').first()).toBeVisible()
})
