import type { Page } from '@playwright/test'
import { buy, PROVISIONED, vmOf, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const NAME = 'Fathom, 1 CPU, 1 GB RAM, 20 GB SSD'

const openTab = (page: Page) => page.getByRole('button', { name: 'Snapshots', exact: true }).click()

test('a client takes a snapshot, reinstalls with another, goes back and deletes it', async ({
  page,
  people,
  shop,
}) => {
  test.slow()
  const { card } = await buy(page, { people, shop }, NAME)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  const vm = vmOf(shop, NAME)
  const before = { net0: vm?.config.net0, os: vm?.guest.os }
  await card.getByRole('link', { name: NAME, exact: true }).click()
  await openTab(page)
  const tab = page.getByRole('region', { name: 'Snapshots' })
  await expect(tab).toContainText('No snapshots yet')
  await expect(tab).toContainText('0 of 2 taken')

  await tab.getByRole('button', { name: 'Take a snapshot' }).click()
  const form = page.getByRole('dialog', { name: 'Take a snapshot' })
  await form.getByLabel('Name (optional)').fill('Before 5.0')
  await form.getByLabel('Keep it for').selectOption('3 days')
  await form.getByRole('button', { name: 'Take it' }).click()
  await expectToast(page, 'A snapshot is being taken')
  const first = tab.getByRole('listitem', { name: 'Before 5.0' })
  await expect(first).toContainText('Deletes itself in 2d', PROVISIONED)
  await expect(tab).toContainText('1 of 2 taken')

  await page.getByRole('button', { name: 'Overview', exact: true }).click()
  await page.getByRole('button', { name: `Reinstall ${NAME}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Reinstall' })
  await dialog.getByLabel('Operating system').selectOption('Rocky Linux 9')
  await dialog.getByLabel('Take a snapshot first').check()
  await expect(dialog).toContainText('The old system is in the list of snapshots')
  await dialog.getByRole('textbox').fill(String(vm?.vmid))
  await dialog.getByRole('button', { name: 'Reinstall' }).click()
  await expectToast(page, 'Reinstallation started')
  await expect(page.getByText(/^ssh rocky@/)).toBeVisible(PROVISIONED)
  expect(vm?.guest.os).not.toBe(before.os)

  await openTab(page)
  await expect(tab).toContainText('All 2 snapshots of this server are taken.')
  await expect(tab.getByRole('button', { name: 'Take a snapshot' })).toBeDisabled()
  await tab.getByRole('button', { name: /^Roll back to Before reinstalling/ }).click()
  const question = page.getByRole('alertdialog', { name: /^Roll back to Before reinstalling/ })
  await expect(question).toContainText('Everything written since is lost')
  await expect(question).toContainText('The disk from before the reinstallation comes back')
  const confirm = question.getByRole('button', { name: 'Roll back' })
  await question.getByRole('textbox').fill('not this one')
  await expect(confirm).toBeDisabled()
  await question.getByRole('textbox').fill(String(vm?.vmid))
  await confirm.click()
  await expectToast(page, 'The server is being rolled back')
  await expect.poll(() => vm?.guest.os, PROVISIONED).toBe(before.os)
  await expect(page.getByText('Running', { exact: true })).toBeVisible(PROVISIONED)
  expect(vm?.config.net0).toBe(before.net0)

  await tab.getByRole('button', { name: 'Delete Before 5.0' }).click()
  const removal = page.getByRole('alertdialog', { name: 'Delete Before 5.0?' })
  await removal.getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'The snapshot is being deleted')
  await expect(first).toHaveCount(0, PROVISIONED)
  await expect(tab).toContainText('1 of 2 taken')
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(page.getByText('Rolled back to a snapshot')).toBeVisible()
  await expect(page.getByText('Snapshot deleted')).toBeVisible()
})
