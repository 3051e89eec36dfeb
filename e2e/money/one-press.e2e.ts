import type { Page } from '@playwright/test'
import { makeToken } from '../acts/customer.ts'
import { admin, enter } from '../acts/people.ts'
import { BY_HAND, sellByHand } from '../acts/plans.ts'
import { expect, test } from '../house/fixtures.ts'
import { fillPackage, slowDown, WAYS, watchPosts } from './presses.ts'

/** How many times slower than this machine; each run picks one. */
const RATES = [4, 10, 20]

const ordersOf = async (page: Page): Promise<{ kind: string; status: string }[]> =>
  ((await (await page.request.get('/api/client/billing')).json()) as { orders: [] }).orders

let lastAddress = 200
const stock = (people: { ask: Parameters<typeof makeToken>[0] }, name: string) => {
  lastAddress += 1
  return makeToken(people.ask, {
    name,
    days: 5,
    price: '6.00',
    address: `203.0.113.${lastAddress}`,
  })
}

for (const [way, press] of Object.entries(WAYS)) {
  test.describe(`${way} on a slow machine`, () => {
    let rate = 20
    test.beforeEach(() => {
      test.setTimeout(300_000)
      rate = RATES[Math.floor(Math.random() * RATES.length)] ?? 20
      test.info().annotations.push({ type: 'times as slow', description: String(rate) })
    })
    const SLOW = { timeout: 120_000 }

    test('orders one plan', async ({ page, people, server }) => {
      await sellByHand(server.url)
      await enter(page, await people.anonymous())
      await page.goto('/pricing')
      await page.getByRole('button', { name: `Order ${BY_HAND.plan}` }).click()
      const button = page.getByRole('dialog').getByRole('button', { name: 'Order for $6.00' })
      await expect(button).toBeVisible()
      const sent = watchPosts(page, /^\/api\/client\/orders$/)
      await slowDown(page, rate)
      await press(page, button)
      await expect(page).toHaveURL(/\/billing\/orders\/\d+$/, SLOW)
      await slowDown(page, 1)
      expect(await ordersOf(page)).toHaveLength(1)
      expect(sent).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    })

    test('buys one server and renews it once', async ({ page, people }) => {
      const name = `Pressed by ${way}, 1 CPU, 1 GB RAM, 20 GB SSD`
      await stock(people, name)
      await enter(page, await people.anonymous())
      await page.goto('/create-instance')
      await page.getByRole('article', { name }).getByRole('button').click()
      const buy = page.getByRole('alertdialog').getByRole('button', { name: 'Buy for $6.00' })
      await expect(buy).toBeVisible()
      const bought = watchPosts(page, /^\/api\/marketplace\//)
      await slowDown(page, rate)
      await press(page, buy)
      await expect(page.getByRole('heading', { name: 'My VPS Dashboard' })).toBeVisible(SLOW)
      await slowDown(page, 1)
      expect((await ordersOf(page)).map(({ kind }) => kind)).toEqual(['purchase'])
      expect(bought).toHaveLength(1)

      const card = page.getByRole('article', { name })
      await card.getByRole('button', { name: `Renew ${name}` }).click(SLOW)
      const renew = page.getByRole('alertdialog').getByRole('button', { name: 'Renew for $6.00' })
      await expect(renew).toBeVisible()
      const renewed = watchPosts(page, /\/renew$/)
      await slowDown(page, rate)
      await press(page, renew)
      await expect(page.getByRole('alertdialog')).toHaveCount(0, SLOW)
      await slowDown(page, 1)
      const kinds = (await ordersOf(page)).map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(['purchase', 'renewal'])
      expect(renewed).toHaveLength(1)
    })

    test('creates one package', async ({ page, people }) => {
      const name = `Package of ${way}`
      await enter(page, admin)
      await page.goto('/packages')
      await page.getByRole('button', { name: 'Add Package' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add Package' })
      await fillPackage(dialog, name)
      await slowDown(page, rate)
      await press(page, dialog.getByRole('button', { name: 'Create Package' }))
      await expect(dialog).toHaveCount(0, SLOW)
      await slowDown(page, 1)
      const known = (await people.ask('/api/packages')) as { name: string }[]
      expect(known.filter((one) => one.name === name)).toHaveLength(1)
    })
  })
}
