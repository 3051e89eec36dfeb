import type { Page } from '@playwright/test'
import type { BtcpayStandIn } from '../../src/server/payments/testing/btcpay-stand-in.ts'
import { clipboardOf, expectToast } from '../acts/looking.ts'
import { enter, type People } from '../acts/people.ts'
import { orderPlan } from '../acts/plans.ts'
import { coinTest } from '../house/coin-fixtures.ts'
import { expect } from '../house/fixtures.ts'

const PROVISIONED = { timeout: 60_000 }

const test = coinTest()

/** A new client orders this plan and opens its invoice. */
async function order(page: Page, people: People, btcpay: BtcpayStandIn, plan: string) {
  await enter(page, await people.anonymous())
  const number = await orderPlan(page, plan, 'Debian 12')
  return { number, invoice: invoiceOf(btcpay, number) }
}

/** The newest invoice of an order. */
function invoiceOf(btcpay: BtcpayStandIn, number: string) {
  const found = [...btcpay.invoices.values()].findLast(({ orderId }) =>
    orderId.startsWith(`${number}-`),
  )
  if (!found) throw new Error(`there is no invoice for order ${number}`)
  return found
}

test('an invoice with its QR code is paid, confirmed, and the server is ready', async ({
  page,
  people,
  btcpay,
  axe,
}) => {
  const { invoice } = await order(page, people, btcpay, 'Trial')
  await expect(page.getByRole('img', { name: 'QR code to pay with Bitcoin' })).toBeVisible()
  await expect(page.getByRole('timer')).toContainText(/^\d+:\d\d left to pay$/)
  await expect(page.getByText(`bc1q${invoice.id}`)).toBeVisible()
  await page.getByRole('button', { name: 'Copy amount: Bitcoin' }).click()
  expect(await clipboardOf(page)).toBe('0.00002000')
  await expect(page.getByRole('link', { name: 'Open in a wallet' })).toHaveAttribute(
    'href',
    `bitcoin:bc1q${invoice.id}`,
  )
  await axe()
  await page.getByRole('tab', { name: /Lightning/ }).click()
  await expect(page.getByText(`lnbc${invoice.id}`)).toBeVisible()

  await btcpay.send(invoice.id, invoice.cents)
  await expect(page.getByText('Your payment is being confirmed')).toBeVisible()
  await axe()
  await btcpay.confirm(invoice.id)
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  await expect(page.getByRole('region', { name: 'Receipt' })).toContainText(
    'Cryptocurrency, by BTCPay',
  )
})

test('a QR code that loads late moves nothing: a press on a button below it counts', async ({
  page,
  people,
  btcpay,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/qr-code-*.js', async (route) => {
    await released
    await route.continue()
  })
  await order(page, people, btcpay, 'Small')
  const cancel = page.getByRole('button', { name: 'Cancel the order' })
  await expect(cancel).toBeVisible()
  const before = await cancel.boundingBox()
  release()
  await expect(page.getByRole('img', { name: 'QR code to pay with Bitcoin' })).toBeVisible()
  expect(await cancel.boundingBox()).toEqual(before)
})

test('a payment that arrives too late becomes credit and pays a renewal', async ({
  page,
  people,
  btcpay,
}) => {
  const { invoice: first } = await order(page, people, btcpay, 'Trial')
  await btcpay.send(first.id, first.cents)
  await btcpay.confirm(first.id)
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)

  const late = invoiceOf(btcpay, await orderPlan(page, 'Small', 'Debian 12'))
  await page.getByRole('button', { name: 'Cancel the order' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the order' }).click()
  await expect(page.getByText('This order was cancelled')).toBeVisible()
  await btcpay.expire(late.id)
  await btcpay.send(late.id, late.cents)
  await btcpay.confirm(late.id)
  await expect(page.getByText('What you paid for it is your credit.')).toBeVisible()

  await page.getByRole('link', { name: 'Back to Billing' }).click()
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$6.00')
  await page.getByRole('button', { name: /^Renew Trial/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Renew with credit' }).click()
  await expectToast(page, 'Server renewed')
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$5.00')
})

test('the operator sees the payment provider and whether it works', async ({
  page,
  signInAsAdmin,
  btcpay,
  axe,
}) => {
  await signInAsAdmin()
  await page.goto('/settings?tab=payments')
  await expect(page.getByText('BTCPay Server', { exact: true })).toBeVisible()
  await expect(page.getByText('Balanced', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Test BTCPay Server' }).click()
  await expect(page.getByText('BTCPay Server answers for the store Stand-in.')).toBeVisible()
  await axe()
  btcpay.faults.isAway = true
  await page.getByRole('button', { name: 'Test BTCPay Server' }).click()
  await expect(page.getByRole('alert')).toContainText('BTCPay Server does not answer.')
  btcpay.faults.isAway = false

  await page.getByRole('button', { name: 'Add Billing Plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Billing Plan' })
  await dialog.getByRole('button', { name: 'Add Billing Plan' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription('Please enter a name')
  await dialog.getByLabel('Name').fill('Small monthly')
  await dialog.getByLabel('Monthly price (USD)').fill('6')
  await axe()
  await dialog.getByRole('button', { name: 'Add Billing Plan' }).click()
  await expectToast(page, 'Billing plan added')
  await page.getByRole('button', { name: 'Delete Small monthly' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Billing plan deleted')
})

test('half a payment shows the rest to pay, and the address stays', async ({
  page,
  people,
  btcpay,
  axe,
}) => {
  const { number, invoice } = await order(page, people, btcpay, 'Small')
  const address = page.getByText(`bc1q${invoice.id}`)
  await expect(address).toBeVisible()

  await btcpay.send(invoice.id, 300)
  await expect(page.getByText('$3.00 of $6.00 received, $3.00 left.')).toBeVisible()
  await expect(address).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code to pay with Bitcoin' })).toBeVisible()
  await expect(page.getByText('There is nothing more to do')).toHaveCount(0)
  await axe()
  // Confirmed by the network, it is still only half of the sum.
  await btcpay.confirm(invoice.id)
  await page.reload()
  await expect(page.getByText('$3.00 of $6.00 received, $3.00 left.')).toBeVisible()
  await page.goto('/billing')
  await expect(page.getByRole('table', { name: 'Payments' })).toContainText(
    '$3.00 of $6.00 received, $3.00 left.',
  )

  await page.goto(`/billing/orders/${number}`)
  await btcpay.send(invoice.id, 400)
  await expect(page.getByText('Your payment is being confirmed')).toBeVisible()
  await expect(page.getByText(/You sent \$1\.00 too much/)).toBeVisible()
  await btcpay.confirm(invoice.id)
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  await page.getByRole('link', { name: 'Back to Billing' }).click()
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$1.00')
})

test('a third unpaid order is refused with links to the open ones, and cancelling one helps', async ({
  page,
  people,
}) => {
  await enter(page, await people.anonymous())
  const first = await orderPlan(page, 'Small', 'Debian 12')
  const second = await orderPlan(page, 'Small', 'Debian 12')
  await page.goto('/pricing')
  await page.getByRole('button', { name: 'Order Small' }).click()
  const dialog = page.getByRole('dialog', { name: 'Order Small' })
  await dialog.getByRole('button', { name: /^Order for/ }).click()
  await expect(dialog.getByText('Pay or cancel one of your 2 open orders first.')).toBeVisible()
  await expect(dialog.getByRole('link', { name: `Order ${second}: Small` })).toBeVisible()
  await dialog.getByRole('link', { name: `Order ${first}: Small` }).click()
  await expect(page).toHaveURL(new RegExp(`/billing/orders/${first}$`))
  await page.getByRole('button', { name: 'Cancel the order' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the order' }).click()
  await expect(page.getByText('This order was cancelled')).toBeVisible()
  await orderPlan(page, 'Small', 'Debian 12')
})

test('a second tab leads to the order of the first, and paying twice opens one payment', async ({
  page,
  people,
  btcpay,
  context,
}) => {
  await enter(page, await people.anonymous())
  const other = await context.newPage()
  const ask = async (tab: typeof page) => {
    await tab.goto('/create-instance')
    const offer = tab.getByRole('article').filter({ hasText: '$6.00' }).first()
    await offer.getByRole('button').click()
    return tab.getByRole('alertdialog').getByRole('button', { name: /for \$6\.00$/ })
  }
  const [here, there] = [await ask(page), await ask(other)]
  await here.click()
  await expect(page).toHaveURL(/\/billing\/orders\/\d+$/)
  await there.click()
  await expect(other).toHaveURL(page.url())
  await expectToast(other, 'Already yours')

  const number = page.url().split('/').at(-1) ?? ''
  await page.goto('/billing')
  await page.getByRole('button', { name: `Pay order ${number}` }).dblclick()
  await expect(page).toHaveURL(/\/billing\/orders\/\d+$/)
  const made = [...btcpay.invoices.values()].filter(({ orderId }) =>
    orderId.startsWith(`${number}-`),
  )
  expect(made).toHaveLength(1)
})
