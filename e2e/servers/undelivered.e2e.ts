import { buy, PROVISIONED, take, wayIn } from '../acts/buying.ts'
import { admin, enter } from '../acts/people.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

test.afterEach(({ shop }) => shop.sim.faults.clear())

test('when the clone fails the client reads why, and the admin retries it', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  test.slow()
  const name = 'Unlucky, 1 CPU, 1 GB RAM, 20 GB SSD'
  shop.sim.faults.add({ kind: 'task-error', path: '/clone$', count: 1, message: 'no space left' })
  const { card } = await buy(page, { people, shop }, name)
  await expect(page.getByText(`${name} could not be created`)).toBeVisible(PROVISIONED)
  await expect(page.getByText('What you paid is not lost')).toBeVisible()
  await expect(card).toHaveCount(0)

  const office = await elsewhere()
  await enter(office, admin)
  await office.goto('/admin-dashboard')
  await office.getByRole('button', { name: /^Activity: 1/ }).click()
  await office
    .getByRole('dialog')
    .getByRole('button', { name: /^Retry/ })
    .click()
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  await expect(page.getByText('could not be created')).toHaveCount(0)
})

test('when its node goes offline the server waits for it, and nothing more is sold there', async ({
  page,
  people,
  shop,
  elsewhere,
}) => {
  test.slow()
  const [name, other] = ['Patient, 1 CPU, 1 GB RAM, 20 GB SSD', 'Next, 1 CPU, 1 GB RAM, 20 GB SSD']
  await shop.offer(name, { node: 'pve2' })
  await shop.offer(other, { node: 'pve2' })
  await enter(page, await people.anonymous())
  const card = await take(page, name)
  shop.sim.faults.add({ kind: 'node-offline', node: 'pve2' })

  const somebody = await elsewhere()
  await enter(somebody, await people.anonymous())
  await somebody.goto('/create-instance')
  await expect(somebody.getByRole('article', { name: other })).toHaveCount(0, PROVISIONED)
  await page.reload()
  await expect(card).toBeVisible()
  await expect(wayIn(card)).toHaveCount(0)

  shop.sim.faults.clear()
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  await expect(somebody.getByRole('article', { name: other })).toBeVisible(PROVISIONED)
})
