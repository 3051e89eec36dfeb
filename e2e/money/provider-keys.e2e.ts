import { PROVISIONED } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { keylessTest } from '../house/coin-fixtures.ts'
import { expect } from '../house/fixtures.ts'

const test = keylessTest()

test('an operator enters the keys of BTCPay, a buyer pays there, and it is turned off and removed', async ({
  page,
  people,
  btcpay,
  signInAsAdmin,
  axe,
}) => {
  test.slow()
  await signInAsAdmin()
  await page.goto('/settings?tab=payments')
  await page.getByRole('button', { name: 'Enter keys of BTCPay Server' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keys of BTCPay Server' })
  await dialog.getByLabel('Address').fill('http://127.0.0.1:9')
  await dialog.getByLabel('Store id').fill(btcpay.env.BTCPAY_STORE_ID)
  await dialog.getByLabel('API key').fill(btcpay.env.BTCPAY_API_KEY)
  await dialog.getByLabel('Webhook secret').fill(btcpay.env.BTCPAY_WEBHOOK_SECRET)
  await page.setViewportSize({ width: 1280, height: 480 })
  await dialog.getByRole('button', { name: 'Test and save' }).click()
  // In view, although the form is longer than the window.
  await expect(dialog.getByRole('alert')).toBeInViewport({ ratio: 0.9 })
  await expect(dialog.getByRole('alert')).toContainText('BTCPay')
  await axe()
  await dialog.getByLabel('Address').fill(btcpay.env.BTCPAY_URL)
  await dialog.getByRole('button', { name: 'Test and save' }).click()
  await expectToast(page, 'Keys of BTCPay Server saved')
  await expect(page.getByRole('button', { name: 'Turn off BTCPay Server' })).toBeVisible()
  expect(await page.content()).not.toContain(btcpay.env.BTCPAY_API_KEY)

  await enter(page, await people.anonymous())
  await page.goto('/pricing')
  await page.getByRole('button', { name: 'Order Trial' }).click()
  const order = page.getByRole('dialog', { name: 'Order Trial' })
  await order.getByLabel('Operating system').selectOption('Debian 12')
  const ways = order.getByRole('group', { name: 'Pay by' })
  await ways
    .getByRole('radio', { name: /Bitcoin/ })
    .first()
    .check()
  await order.getByRole('button', { name: /^Order for/ }).click()
  await expect(page.getByRole('img', { name: /^QR code to pay/ })).toBeVisible()

  await enter(page, admin)
  await page.goto('/settings?tab=payments')
  await page.getByRole('button', { name: 'Turn off BTCPay Server' }).click()
  const turnOff = page.getByRole('alertdialog', { name: 'Turn off BTCPay Server?' })
  await expect(turnOff).toContainText('one of them is open now')
  await axe()
  await turnOff.getByRole('button', { name: 'Turn off' }).click()
  await expectToast(page, 'BTCPay Server is turned off')

  // What was begun there is settled all the same.
  const invoice = [...btcpay.invoices.values()].at(-1)
  await btcpay.send(invoice?.id ?? '', invoice?.cents ?? 0)
  await btcpay.confirm(invoice?.id ?? '')
  await page.goto('/orders')
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible(PROVISIONED)

  await page.goto('/settings?tab=payments')
  await page.getByRole('button', { name: 'Remove keys of BTCPay Server' }).click()
  const removal = page.getByRole('alertdialog', { name: 'Remove the keys of BTCPay Server?' })
  await removal.getByRole('button', { name: 'Remove keys' }).click()
  await expectToast(page, 'The keys of BTCPay Server are removed')
  await expect(page.getByRole('button', { name: 'Enter keys of BTCPay Server' })).toBeVisible()
})
