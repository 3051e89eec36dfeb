import { buy, PROVISIONED, shownTimeLeft, vmOf, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const DAY = 86_400_000

test('a server counts down, ends, is renewed, given up and restored', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  test.slow()
  const name = 'Short lived, 1 CPU, 1 GB RAM, 20 GB SSD'
  const { card } = await buy(page, { people, shop }, name)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  const vm = () => vmOf(shop, name)

  const before = await shownTimeLeft(card)
  expect(before).toBeGreaterThan(29 * DAY)
  await expect.poll(() => shownTimeLeft(card)).toBeLessThan(before)

  await shop.endsIn(name, 20_000)
  await page.reload()
  await expect(card).toContainText('1 day left')
  await expect(card).toContainText('The time is over and the server is stopped', PROVISIONED)
  await expect.poll(() => vm()?.qmp, PROVISIONED).toBe('stopped')

  await card.getByRole('button', { name: `Renew ${name}` }).click()
  await page.getByRole('button', { name: 'Renew for $5.00' }).click()
  await expectToast(page, 'Server renewed')
  await expect.poll(() => vm()?.qmp, PROVISIONED).toBe('running')
  expect(await shownTimeLeft(card)).toBeGreaterThan(29 * DAY)

  await card.getByRole('button', { name: `End server ${name}` }).click()
  const question = page.getByRole('dialog', { name: 'End server' })
  await expect(question).toContainText('Unused time is not refunded.')
  await question.getByRole('textbox').fill(String(vm()?.vmid))
  await question.getByRole('button', { name: 'End server' }).click()
  await expectToast(page, 'Server ended')
  await expect(card).toHaveCount(0)

  const office = await elsewhere()
  await enter(office, admin)
  await office.goto('/cancelled-instances')
  await office.getByRole('button', { name: `Restore ${name}` }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
  await expectToast(office, 'Token restored successfully')
  await expect(card).toBeVisible()
})

for (const hours of [12, -12]) {
  test(`a browser whose clock is ${hours} hours off counts down correctly`, async ({
    page,
    people,
    shop,
  }) => {
    test.slow()
    const name = `Clock ${hours}, 1 CPU, 1 GB RAM, 20 GB SSD`
    await page.clock.install({ time: Date.now() + hours * 3_600_000 })
    const { card } = await buy(page, { people, shop }, name)
    await expect(wayIn(card)).toBeVisible(PROVISIONED)
    const left = 3 * DAY
    const since = Date.now()
    await shop.endsIn(name, left)
    await page.reload()
    await expect(card).toContainText('3 days left')
    const shown = await shownTimeLeft(card)
    expect(Math.abs(shown - (left - (Date.now() - since)))).toBeLessThan(5000)
  })
}
