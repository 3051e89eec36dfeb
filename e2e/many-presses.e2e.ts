import fc from 'fast-check'
import { makeToken } from './customer.ts'
import { expect, test } from './fixtures.ts'
import { enter } from './people.ts'
import { slowDown, WAYS, watchPosts } from './presses.ts'

const PRESSES = process.env.FAULTS === '1' ? 1000 : 8
/** What a press on this many times slower machine may take. */
const SLOW = { timeout: 120_000 }
const NAME = 'Pressed often, 1 CPU, 1 GB RAM, 20 GB SSD'

const seed = Math.floor(Math.random() * 2 ** 31)
const presses = fc.sample(
  fc.record({
    way: fc.constantFrom(...Object.keys(WAYS)),
    rate: fc.integer({ min: 1, max: 20 }),
  }),
  { numRuns: PRESSES, seed },
)

test(`${PRESSES} double presses at random speeds renew as often, and no more`, async ({
  page,
  people,
}) => {
  test.setTimeout(60_000 + PRESSES * 15_000)
  test.info().annotations.push({ type: 'seed', description: String(seed) })
  const stock = { name: NAME, days: 5, price: '6.00', address: '203.0.113.240' }
  await makeToken(people.ask, stock)
  await enter(page, await people.anonymous())
  await page.goto('/create-instance')
  await page.getByRole('article', { name: NAME }).getByRole('button').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Buy for $6.00' }).click()
  await page.getByRole('heading', { name: 'My VPS Dashboard' }).waitFor()
  const renew = page.getByRole('button', { name: `Renew ${NAME}` })
  const sent = watchPosts(page, /\/renew$/)
  for (const { way, rate } of presses) {
    await renew.click(SLOW)
    const question = page.getByRole('alertdialog')
    const button = question.getByRole('button', { name: 'Renew for $6.00' })
    await button.waitFor()
    await slowDown(page, rate)
    await WAYS[way]?.(page, button)
    await expect(question).toHaveCount(0, SLOW)
    await slowDown(page, 1)
  }
  const { orders } = (await (await page.request.get('/api/client/billing')).json()) as {
    orders: { kind: string }[]
  }
  const renewals = orders.filter(({ kind }) => kind === 'renewal')
  expect(renewals).toHaveLength(PRESSES)
  expect(sent).toHaveLength(PRESSES)
  expect(new Set(sent).size).toBe(PRESSES)
})
