import {
  type MoneroStandIn,
  startMonero,
} from '../../src/server/payments/testing/monero/monero-stand-in.ts'
import { enter } from '../acts/people.ts'
import { startShop } from '../house/coin-shop.ts'
import { test as base, expect } from '../house/fixtures.ts'

/** The wallet is asked every few seconds. */
const SEEN = { timeout: 60_000 }
const PICO = 10n ** 12n

const test = base.extend<Record<never, never>, { monero: MoneroStandIn }>({
  monero: [
    async ({}, use) => {
      const monero = await startMonero()
      await use(monero)
      await monero.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ monero }, use) => {
      const shop = await startShop({ ...monero.env, PAYMENT_PROVIDER: 'monero,manual' })
      await use(shop)
      await shop.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

/** "0.160000 XMR" → piconero. */
const picoOf = (shown: string): bigint => {
  const [whole = '0', part = ''] = shown.split(' ')[0]?.split('.') ?? []
  return BigInt(whole) * PICO + BigInt(part.padEnd(12, '0'))
}

test('a buyer chooses Monero, sends it, sees it counted, and has the server', async ({
  page,
  people,
  monero,
  axe,
}) => {
  test.slow()
  await enter(page, await people.anonymous())
  await page.goto('/pricing')
  await page.getByRole('button', { name: 'Order Large' }).click()
  const dialog = page.getByRole('dialog', { name: 'Order Large' })
  await dialog.getByLabel('Operating system').selectOption('Debian 12')
  await dialog.getByRole('radio', { name: 'Monero' }).check()
  await dialog.getByRole('button', { name: /^Order for/ }).click()
  await expect(page.getByRole('img', { name: 'QR code to pay with Monero' })).toBeVisible()
  const address = (await page.getByText(/^8\w{94}$/).textContent()) ?? ''
  const amount = (await page.getByText(/^\d+\.\d+ XMR$/).textContent()) ?? ''
  await axe()

  await monero.pay(address, picoOf(amount))
  await expect(page.getByText('Payment seen, 0 of 3 confirmations')).toBeVisible(SEEN)
  await axe()
  await monero.mine(1)
  await expect(page.getByText('Payment seen, 1 of 3 confirmations')).toBeVisible(SEEN)
  await monero.mine(2)
  await expect(page.getByText('Your server is ready')).toBeVisible(SEEN)
  await axe()
})
