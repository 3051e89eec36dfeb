import { expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { BY_HAND, orderPlan, sellByHand } from '../acts/plans.ts'
import { expect, test } from '../house/fixtures.ts'

const PROVISIONED = { timeout: 60_000 }

test.beforeEach(async ({ people, server }) => {
  await people.forgetDevices()
  await sellByHand(server.url)
})

test('a visitor chooses a plan, registers, pays in test mode and gets the server', async ({
  page,
  axe,
}) => {
  await page.goto('/pricing')
  await page.getByRole('link', { name: 'Order Trial' }).click()
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByRole('button', { name: 'Create Account' }).click()
  await page.getByRole('button', { name: 'I have saved these' }).click()

  const dialog = page.getByRole('dialog', { name: 'Order Trial' })
  await expect(dialog).toContainText('$1.00')
  await expect(dialog).toContainText('7 days')
  await expect(dialog).toContainText('Test mode: no money moves')
  await axe()
  await dialog.getByLabel('Operating system').selectOption('Debian 12')
  await dialog.getByRole('button', { name: 'Order for $1.00' }).click()

  await expect(page).toHaveURL(/\/billing\/orders\/\d+$/)
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await expect(receipt).toContainText('Trial')
  await expect(receipt).toContainText('Test payment')
  await axe()

  await page.getByRole('link', { name: 'Go to your server' }).click()
  const card = page.getByRole('article', { name: /^Trial/ })
  await expect(card.getByText(/^ssh debian@/)).toBeVisible(PROVISIONED)
})

test('a receipt prints without the application around it', async ({ page, people }) => {
  await enter(page, await people.anonymous())
  await orderPlan(page, BY_HAND.plan, BY_HAND.system)
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await expect(receipt).toContainText('$6.00')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(receipt).toBeVisible()
  for (const hidden of [
    page.getByRole('banner'),
    page.getByRole('navigation'),
    page.getByRole('button', { name: 'Print' }),
    page.getByRole('link', { name: 'Back to Billing' }),
    page.getByRole('heading', { name: 'History' }),
  ]) {
    await expect(hidden).toBeHidden()
  }
  await expect(receipt).toHaveCSS('color', 'rgb(0, 0, 0)')
})

test('a cancelled order becomes credit, and credit pays a renewal', async ({
  page,
  people,
  elsewhere,
  axe,
}) => {
  test.setTimeout(120_000)
  await enter(page, await people.anonymous())
  await orderPlan(page, 'Trial', 'Debian 12')
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  const number = await orderPlan(page, BY_HAND.plan, BY_HAND.system)
  await expect(page.getByText(BY_HAND.toClient)).toBeVisible()

  const office = await elsewhere()
  await enter(office, admin)
  await office.goto('/orders')
  await office.getByRole('button', { name: `More for order ${number}`, exact: true }).click()
  await office.getByRole('menuitem', { name: 'Cancel order' }).click()
  const question = office.getByRole('dialog', { name: `Cancel order ${number}?` })
  await expect(question).toContainText('Refund $6.00')
  await expect(question.getByRole('radio', { name: /^As credit/ })).toBeChecked()
  await question.getByRole('button', { name: 'Cancel order' }).click()
  await expectToast(office, 'Order cancelled')

  // The client's page updates by itself.
  await expect(page.getByText('This order was cancelled')).toBeVisible()
  await expect(page.getByText('What you paid for it is your credit.')).toBeVisible()
  await page.getByRole('link', { name: 'Back to Billing' }).click()
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$6.00')
  await axe()
  await page.getByRole('button', { name: /^Renew Trial/ }).click()
  const renewal = page.getByRole('alertdialog')
  await expect(renewal).toContainText('Your credit covers it.')
  await axe()
  await renewal.getByRole('button', { name: 'Renew with credit' }).click()
  await expectToast(page, 'Server renewed')
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$5.00')
})

test('another client’s order is not found', async ({ page, people, elsewhere }) => {
  await enter(page, await people.anonymous())
  await orderPlan(page, BY_HAND.plan, BY_HAND.system)
  const other = await elsewhere()
  await enter(other, await people.anonymous())
  await other.goto(page.url())
  await expect(other.getByText('Order not found')).toBeVisible()
  await other.getByRole('link', { name: 'See your orders' }).click()
  await expect(other.getByText('No orders yet')).toBeVisible()
})
