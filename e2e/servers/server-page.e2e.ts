import type { Page } from '@playwright/test'
import { PUBLIC_KEYS } from '../../src/shared/rules/ssh/testing/public-keys.ts'
import { PROVISIONED } from '../acts/buying.ts'
import { expectDialog, expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const { ed25519 } = PUBLIC_KEYS
const NAME = 'Beacon, 1 CPU, 1 GB RAM, 20 GB SSD'

async function addKey(page: Page): Promise<void> {
  await page.goto('/settings?tab=ssh-keys')
  await page.getByRole('button', { name: 'Add key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add SSH key' })
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Public key').fill(ed25519.publicKey)
  await dialog.getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'SSH key added', 'Laptop')
}

/** Buys the offer with a label, a hostname and the key; ends at the page of the server. */
async function buyWithKey(page: Page): Promise<void> {
  await page.goto('/create-instance')
  const offer = page.getByRole('article', { name: NAME })
  await offer.getByRole('button', { name: /^Buy/ }).click()
  const question = page.getByRole('alertdialog')
  await question.getByLabel('Label').fill('Mail')
  await question.getByLabel('Hostname').fill('not valid')
  await expect(question.getByRole('button', { name: /^Buy for/ })).toBeDisabled()
  await question.getByLabel('Hostname').fill('mx-1')
  await question.getByLabel('Laptop').check()
  await expect(question).toContainText('it has no password')
  await question.getByRole('button', { name: /^Buy for/ }).click()
  const card = page.getByRole('article', { name: 'Mail' })
  await expect(card.getByText(/^ssh \w+@/)).toBeVisible(PROVISIONED)
  await card.getByRole('link', { name: 'Mail', exact: true }).click()
  await expect(page).toHaveURL(/\/servers\/\d+$/)
}

test('a server bought with a key has a page of its own, and no password', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  await shop.offer(NAME)
  await enter(page, await people.anonymous())
  await addKey(page)
  await buyWithKey(page)
  const here = page.url()
  await expect(page.getByText('None: this server takes keys only')).toBeVisible()
  await expect(page.getByText(ed25519.fingerprint)).toBeVisible()
  await expect(page.getByText('mx-1', { exact: true })).toBeVisible()
  const vm = [...shop.sim.state.vms.values()].find(({ config }) => config.name?.startsWith('mx-1.'))
  expect(vm?.config).not.toHaveProperty('cipassword')
  expect(decodeURIComponent(String(vm?.config.sshkeys))).toContain(ed25519.publicKey)

  await page.getByRole('button', { name: 'Rename Mail' }).click()
  await expectDialog(page, 'Label')
  await page.getByRole('dialog').getByLabel('Label').fill('Post office')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Post office' })).toBeVisible()

  await page.getByRole('button', { name: /^Change the hostname/ }).click()
  await expectDialog(page, 'Hostname')
  await page.getByRole('dialog').getByLabel('Hostname').fill('mx-2')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => vm?.config.name, PROVISIONED).toMatch(/^mx-2\.vm-\d+$/)

  await page.getByRole('button', { name: 'Shutdown Post office' }).click()
  await expectToast(page, 'Instance shutdown successfully')
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(page.getByText('Server shut down')).toBeVisible()
  await expect(page.getByText('Server renamed').first()).toBeVisible()
  await expect(page.getByText('Bought')).toBeVisible()

  const operator = await elsewhere()
  await enter(operator, admin)
  await operator.goto('/instances?q=Post')
  await operator.getByRole('link', { name: 'Post office' }).click()
  await expect(operator).toHaveURL(here)
  await operator.getByRole('button', { name: /^Change the notes/ }).click()
  await operator.getByRole('dialog').getByLabel('Notes').fill('A quiet client.')
  await operator.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(operator.getByText('A quiet client.')).toBeVisible()
  await operator.getByRole('button', { name: 'Proxmox', exact: true }).click()
  await expect(operator.getByText('ciuser')).toBeVisible()
  await page.reload()
  await expect(page.getByText('A quiet client.')).toHaveCount(0)
})
