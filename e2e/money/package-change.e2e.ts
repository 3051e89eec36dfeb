import { PROVISIONED } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { orderPlan } from '../acts/plans.ts'
import { expect, test } from '../house/fixtures.ts'

test('a client sees what a larger package costs, confirms it, and has it', async ({
  page,
  people,
  axe,
}) => {
  test.slow()
  await enter(page, await people.anonymous())
  await orderPlan(page, 'Small', 'Debian 12')
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  await page.goto('/my-instances')
  await page.getByRole('link', { name: /Small/ }).first().click()

  const open = page.getByRole('button', { name: /^Change package of/ })
  await open.click()
  const dialog = page.getByRole('dialog', { name: 'Change package' })
  await dialog.getByRole('radio', { name: /Medium/ }).check()
  // Nothing is charged that the credit does not cover.
  await expect(dialog.getByText(/^Your credit/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Change now' })).toBeDisabled()
  await axe()
  await page.keyboard.press('Escape')

  const server = page.url()
  await page.goto('/billing')
  await page.getByRole('button', { name: 'Top up', exact: true }).click()
  const topUp = page.getByRole('dialog', { name: 'Top up credit' })
  await topUp.getByRole('button', { name: '$10.00' }).click()
  await topUp.getByRole('button', { name: 'Pay $10.00' }).click()
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$10.00')

  await page.goto(server)
  await open.click()
  await dialog.getByRole('radio', { name: /Medium/ }).check()
  await expect(
    dialog.getByText(/^Now \+\$[\d.]+ for \d+ days, then \$[\d.]+ a month$/),
  ).toBeVisible()
  await dialog.getByRole('button', { name: 'Change now' }).click()
  await expectToast(page, 'The package is changing')
  await expect(page.getByText('2 CPU · 4 GB RAM · 80 GB SSD')).toBeVisible(PROVISIONED)
  await open.click()
  await expect(dialog.getByText('This server has this package already.')).toBeVisible()
  await axe()
})
