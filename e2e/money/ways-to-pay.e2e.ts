import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { coinTest, SEVERAL_WAYS } from '../house/coin-fixtures.ts'
import { expect } from '../house/fixtures.ts'

const DELIVERED = { timeout: 60_000 }

const test = coinTest(SEVERAL_WAYS)

test('a buyer chooses a way, changes it, and pays; the operator has named and explained them', async ({
  page,
  people,
  btcpay,
  signInAsAdmin,
  axe,
}) => {
  await signInAsAdmin()
  await page.goto('/settings?tab=payments')
  await page.getByLabel('Name of Direct payment').fill('Cash')
  await page.getByLabel('How to pay directly').fill('Come to the market on Friday.')
  await page.getByRole('button', { name: 'Move Direct payment up' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expectToast(page, 'Ways to pay saved')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await axe()

  await enter(page, await people.anonymous())
  await page.goto('/pricing')
  await page.getByRole('button', { name: 'Order Trial' }).click()
  const dialog = page.getByRole('dialog', { name: 'Order Trial' })
  await dialog.getByLabel('Operating system').selectOption('Debian 12')
  const choice = dialog.getByRole('group', { name: 'Pay by' })
  await expect(choice.getByRole('radio')).toHaveCount(3)
  await choice.getByRole('radio', { name: 'Cash' }).check()
  await axe()
  await dialog.getByRole('button', { name: /^Order for/ }).click()
  await expect(page.getByText('Come to the market on Friday.')).toBeVisible()
  await page.getByRole('button', { name: 'Lightning', exact: true }).click()
  await expect(
    page.getByRole('img', { name: 'QR code to pay with Bitcoin Lightning' }),
  ).toBeVisible()
  await expect(page.getByText(/^\d+ sats$/)).toBeVisible()
  await expect(page.getByText(/^lnbc/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cash', exact: true })).toBeVisible()
  await axe()
  const invoice = [...btcpay.invoices.values()].at(-1)
  await btcpay.send(invoice?.id ?? '', invoice?.cents ?? 0, 'BTC-LN')
  await btcpay.confirm(invoice?.id ?? '')
  await expect(page.getByText('Your server is ready')).toBeVisible(DELIVERED)
})

test('a voucher is made, mistyped, and becomes credit', async ({
  page,
  people,
  signInAsAdmin,
  axe,
}) => {
  await signInAsAdmin()
  await page.goto('/settings?tab=payments')
  await page.getByRole('button', { name: 'Make vouchers' }).click()
  const making = page.getByRole('dialog', { name: 'Make vouchers' })
  await making.getByLabel('How many').fill('2')
  await making.getByRole('button', { name: 'Make vouchers' }).click()
  await expect(making.getByLabel('Amount of each (USD)')).toHaveAccessibleDescription(/Price/)
  await making.getByLabel('Amount of each (USD)').fill('7.50')
  await making.getByRole('button', { name: 'Make vouchers' }).click()
  const codes = page.getByRole('dialog', { name: '2 vouchers of $7.50' })
  await expect(codes.getByRole('listitem')).toHaveCount(2)
  const code = (await codes.getByRole('listitem').first().textContent()) ?? ''
  await expect(codes.getByRole('link', { name: 'Save as CSV' })).toHaveAttribute(
    'href',
    new RegExp(code),
  )
  await axe()
  await codes.getByRole('button', { name: 'I have the codes' }).click()
  await expect(page.getByText(`…${code.slice(-4)}`)).toBeVisible()

  await enter(page, await people.anonymous())
  await page.goto('/billing')
  await page.getByRole('button', { name: 'Redeem a voucher' }).click()
  const dialog = page.getByRole('dialog', { name: 'Redeem a voucher' })
  await dialog.getByLabel('Code').fill(`${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`)
  await dialog.getByRole('button', { name: 'Redeem' }).click()
  await expect(dialog.getByLabel('Code')).toHaveAccessibleDescription(/not as printed/)
  await axe()
  await dialog.getByLabel('Code').fill(code.toLowerCase().replaceAll('-', ' '))
  await dialog.getByRole('button', { name: 'Redeem' }).click()
  await expectToast(page, '$7.50 added')
  await expect(page.getByRole('region', { name: 'Credit' })).toContainText('$7.50')
})
