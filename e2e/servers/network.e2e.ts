import { arrives } from '#pve-sim/packets/passes.ts'
import { signIn } from '../../src/server/testing/server-process.ts'
import { buy, PROVISIONED, vmOf, wayIn } from '../acts/buying.ts'
import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { orderPlan } from '../acts/plans.ts'
import { expect } from '../house/fixtures.ts'
import { test } from '../house/shop.ts'

const LOCKED = 'Lockout, 1 CPU, 1 GB RAM, 20 GB SSD'
const NAME = 'Harbour, 1 CPU, 1 GB RAM, 20 GB SSD'

test('a server keeps forged packets inside, and an operator opens its mail', async ({
  page,
  people,
  shop,
  signInAsAdmin,
  axe,
}) => {
  const { card } = await buy(page, { people, shop }, NAME)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  await card.getByRole('link', { name: NAME, exact: true }).click()
  await page.getByRole('button', { name: 'Network', exact: true }).click()
  const tab = page.getByRole('region', { name: 'Network' })
  await expect(tab).toContainText('Only packets from its own addresses leave this server.')
  await expect(tab).toContainText('Mail by port 25Closed')
  // Sold without a package, so without limits.
  const traffic = page.getByRole('region', { name: 'Traffic' })
  await expect(traffic).toContainText('used, unlimited')
  await expect(traffic).toContainText('Rate in each directionUnlimited')
  await axe()
  const vmid = vmOf(shop, NAME)?.vmid ?? 0
  const rules = () => shop.sim.state.firewalls?.get(vmid)?.rules.length
  expect(rules()).toBe(1)

  const address = page.url()
  await page.context().clearCookies()
  await signInAsAdmin()
  await page.goto(address)
  await tab.getByRole('button', { name: `Open mail of ${NAME}` }).click()
  await expectToast(page, 'Mail opened')
  await expect(tab).toContainText('Mail by port 25Open')
  expect(rules()).toBe(0)
})

test('an operator limits a package, and sees which servers talk most', async ({
  page,
  signInAsAdmin,
  axe,
}) => {
  await signInAsAdmin()
  await page.goto('/packages')
  await page.getByRole('button', { name: 'Add Package' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Package' })
  const type = (label: string, text: string) => dialog.getByLabel(label).fill(text)
  await type('Name', 'Brook')
  await type('CPU', '1 CPU')
  await type('RAM', '1 GB RAM')
  await type('Storage', '10 GB SSD')
  await type('Price (USD)', '3')
  await type('Bandwidth limit (Mbit/s)', '0')
  await type('Traffic per period (GB)', '2500')
  await dialog.getByRole('button', { name: 'Create Package' }).click()
  await expect(dialog).toContainText('Bandwidth must be 1 to 100000 Mbit/s')
  await type('Bandwidth limit (Mbit/s)', '200')
  await dialog.getByRole('button', { name: 'Create Package' }).click()
  const card = page.getByRole('article', { name: 'Brook' })
  await expect(card).toContainText('Bandwidth200 Mbit/s')
  await expect(card).toContainText('Traffic2.5 TB')

  await page.goto('/instances')
  await page.getByRole('tab', { name: 'By traffic' }).click()
  const talkers = page.getByRole('region', { name: 'Top talkers' })
  await expect(talkers).toBeVisible()
  await talkers.getByText('30 days').click()
  await expect(page).toHaveURL(/days=30/)
  await axe()
})

test('a server that has used its traffic up is slowed, and stays on', async ({
  page,
  people,
  server,
  shop,
  axe,
}) => {
  test.slow()
  const call = await signIn(server.url)
  const size = { cpu: '1 CPU', ram: '1 GB RAM', storage: '20 GB SSD', price: 3 }
  const traffic = { rateMbit: 200, trafficGb: 0, slowMbit: 4 }
  const body = { name: 'Trickle', ...size, ...traffic, osOptions: ['Debian 12'] }
  const made = await call('/api/packages', { method: 'POST', body: JSON.stringify(body) })
  expect(made.status).toBe(201)
  await enter(page, await people.anonymous())
  await orderPlan(page, 'Trickle', 'Debian 12')
  await page.getByRole('link', { name: 'Go to your server' }).click(PROVISIONED)
  const card = page.getByRole('article', { name: /^Trickle/ })
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  await card.getByRole('link', { name: /^Trickle/ }).click()
  // Counted once a minute; the card of the VM follows, by Proxmox in MiB per second.
  const minutes = { timeout: 150_000 }
  await expect(page.getByText('The traffic of this period is used up')).toBeVisible(minutes)
  await expect.poll(() => vmOf(shop, 'Trickle')?.config.net0, minutes).toContain('rate=0.4768')
  expect(vmOf(shop, 'Trickle')?.qmp).toBe('running')
  await page.getByRole('button', { name: 'Network', exact: true }).click()
  const region = page.getByRole('region', { name: 'Traffic' })
  await expect(region).toContainText('The server is slowed to 4 Mbit/s and stays reachable')
  await expect(region).toContainText('Rate in each direction4 Mbit/s')
  await axe()
})

test('rules that lock the owner out go away by themselves, with the page closed', async ({
  page,
  context,
  people,
  shop,
  axe,
}) => {
  test.setTimeout(180_000)
  const { card } = await buy(page, { people, shop }, LOCKED)
  await expect(wayIn(card)).toBeVisible(PROVISIONED)
  await card.getByRole('link', { name: LOCKED, exact: true }).click()
  await page.getByRole('button', { name: 'Network', exact: true }).click()
  const tab = page.getByRole('region', { name: 'Firewall' })
  const vm = vmOf(shop, LOCKED)
  if (!vm) throw new Error('the cluster has no such VM')
  const reaches = (dport: number) =>
    arrives(shop.sim.state, vm, { source: '198.51.100.9', proto: 'tcp', dport })

  // A starter, one rule more, and the order by keyboard.
  await tab.getByLabel('Begin with a list').selectOption({ label: 'Only SSH: SSH and ping' })
  await tab.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Ports').fill('99999')
  await page.getByRole('button', { name: 'Add it' }).click()
  await expect(page.getByText('A port is a number from 1 to 65535.')).toBeVisible()
  await page.getByLabel('Ports').fill('8000-8100')
  await page.getByRole('button', { name: 'Add it' }).click()
  const items = tab.getByRole('listitem')
  await expect(items).toHaveCount(4)
  const up = tab.getByRole('button', { name: 'Move rule 4 up' })
  await up.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(items.first()).toContainText('TCP 8000-8100')
  await expect(tab.getByRole('button', { name: 'Move rule 1 down' })).toBeFocused()
  expect(reaches(443)).toBe(true)
  await axe()
  await tab.getByRole('button', { name: 'Apply' }).click()
  await expect(tab).toContainText('or the old rules come back')
  expect([22, 8050, 443].map(reaches)).toEqual([true, true, false])
  await axe()
  await tab.getByRole('button', { name: 'Confirm the rules' }).click()
  await expectToast(page, 'Rules confirmed')

  // These rules let nothing in, and the page is closed before they are confirmed.
  const first = tab.getByRole('button', { name: 'Remove rule 1', exact: true })
  for (let left = 4; left > 0; left -= 1) {
    await first.press('Enter')
    await expect(tab.getByText(`Rule 1 of ${left} is removed`)).toBeAttached()
    await expect(left > 1 ? first : tab.getByRole('button', { name: 'Add a rule' })).toBeFocused()
  }
  await tab.getByRole('button', { name: 'Apply' }).click()
  await expect(tab).toContainText('or the old rules come back')
  expect(reaches(22)).toBe(false)
  const address = page.url()
  await page.close()
  await expect(() => expect(reaches(22)).toBe(true)).toPass({ timeout: 90_000 })
  expect(reaches(443)).toBe(false)

  const later = await context.newPage()
  await later.goto(address)
  const again = later.getByRole('region', { name: 'Firewall' })
  await expect(again).toContainText('The last rules you tried were reverted')
  await expect(again.getByRole('listitem')).toHaveCount(4)
})
