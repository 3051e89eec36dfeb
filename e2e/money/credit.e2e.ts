import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { orderPlan } from '../acts/plans.ts'
import { coinTest, SEVERAL_WAYS } from '../house/coin-fixtures.ts'
import { expect } from '../house/fixtures.ts'

const DELIVERED = { timeout: 60_000 }

const test = coinTest(SEVERAL_WAYS)

test('a client tops up, a server renews itself from it, and a friend pays by a link', async ({
  page,
  people,
  btcpay,
  signInAsAdmin,
  axe,
}) => {
  test.slow()
  const payLast = async () => {
    const invoice = [...btcpay.invoices.values()].at(-1)
    await btcpay.send(invoice?.id ?? '', invoice?.cents ?? 0)
    await btcpay.confirm(invoice?.id ?? '')
  }
  await signInAsAdmin()
  await page.goto('/settings?tab=payments')
  await page.getByLabel('3 months (%)').fill('95')
  await page.getByRole('button', { name: 'Save discounts' }).click()
  await expect(page.getByLabel('3 months (%)')).toHaveAccessibleDescription(/from 0 to 90/)
  await page.getByLabel('3 months (%)').fill('10')
  await page.getByRole('button', { name: 'Save discounts' }).click()
  await expectToast(page, 'Discounts saved')
  await axe()

  await enter(page, await people.anonymous())
  await orderPlan(page, 'Small', 'Debian 12')
  await page.getByRole('button', { name: 'Bitcoin', exact: true }).click()
  await expect(page.getByRole('img', { name: 'QR code to pay with Bitcoin' })).toBeVisible()
  await payLast()
  await expect(page.getByText('Your server is ready')).toBeVisible(DELIVERED)

  await page.goto('/billing')
  await page.getByRole('button', { name: 'Top up', exact: true }).click()
  const topUp = page.getByRole('dialog', { name: 'Top up credit' })
  await topUp.getByLabel('Amount (USD)').fill('0.50')
  await topUp.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(topUp.getByLabel('Amount (USD)')).toHaveAccessibleDescription(/from \$1\.00/)
  await topUp.getByRole('button', { name: '$10.00' }).click()
  await topUp.getByRole('radio', { name: 'Bitcoin', exact: true }).check()
  await axe()
  await topUp.getByRole('button', { name: 'Pay $10.00' }).click()
  await expect(page.getByRole('heading', { name: 'Credit', exact: true })).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code to pay with Bitcoin' })).toBeVisible()
  await payLast()
  await expect(page.getByText('Your credit is there')).toBeVisible(DELIVERED)
  await axe()

  await page.getByRole('link', { name: 'Back to Billing' }).click()
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$10.00')
  await page.getByRole('switch', { name: /from credit$/ }).click()
  await expectToast(page, 'Renewal from credit is on')
  await expect(page.getByText(/^Your credit lasts until/)).toBeVisible()
  await axe()

  await page.goto('/my-instances')
  await page.getByRole('link', { name: /Small/ }).first().click()
  await page.getByRole('button', { name: /^Payment link of/ }).click()
  const dialog = page.getByRole('dialog', { name: /^Payment link of/ })
  await dialog.getByRole('button', { name: 'Make a link' }).click()
  const url = (await dialog.getByText(/\/pay\//).textContent()) ?? ''
  await axe()

  await page.context().clearCookies()
  await page.goto(url)
  await expect(page.getByRole('heading', { name: 'Renew a server' })).toBeVisible()
  await page.getByRole('radio', { name: /90 days/ }).check()
  await expect(page.getByText('10% less')).toBeVisible()
  await page.getByRole('radio', { name: 'Bitcoin', exact: true }).check()
  await axe()
  await page.getByRole('button', { name: 'Pay $16.20' }).click()
  await expect(page.getByRole('img', { name: 'QR code to pay with Bitcoin' })).toBeVisible()
  await axe()
  await payLast()
  await expect(page.getByText('Thank you. The payment has arrived')).toBeVisible(DELIVERED)
  await axe()

  await page.goto(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`)
  await expect(page.getByText('This link is not valid')).toBeVisible()
})
