import type { Page } from '@playwright/test'
import { startProcess } from '../../src/server/testing/server-process.ts'
import { expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { BY_HAND, orderPlan, sellByHand } from '../acts/plans.ts'
import { test as base, endServer, expect, FAST_DEMO } from '../house/fixtures.ts'

const PROVISIONED = { timeout: 60_000 }

/** A server whose clients pay the operator directly. */
const test = base.extend({
  server: [
    async ({}, use) => {
      const server = await startProcess({ ...FAST_DEMO, PAYMENT_PROVIDER: 'manual' })
      await use(server)
      await endServer(server)
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})

async function markPaid(office: Page, number: string): Promise<void> {
  await office.getByRole('button', { name: `Mark paid: order ${number}`, exact: true }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Mark as paid' }).click()
  await expectToast(office, 'Order marked as paid')
}

test('an order is marked as paid, and its server is created', async ({
  page,
  people,
  elsewhere,
}) => {
  await enter(page, await people.anonymous())
  const number = await orderPlan(page, 'Trial', 'Debian 12')
  await expect(page.getByText('You pay the provider directly.')).toBeVisible()
  const office = await elsewhere()
  await enter(office, admin)
  await office.goto('/orders')
  const pending = office.getByRole('table', { name: 'Pending Orders' })
  await expect(pending.getByRole('row').filter({ hasText: `No. ${number},` })).toContainText(
    'Pending',
  )
  await markPaid(office, number)
  await expect(page.getByText('Your server is ready')).toBeVisible(PROVISIONED)
  const active = office.getByRole('table', { name: 'Active Orders' })
  await expect(active.getByRole('row').filter({ hasText: `No. ${number},` })).toBeVisible()
})

test('a paid order is provisioned by hand', async ({ page, people, server, elsewhere, axe }) => {
  await sellByHand(server.url)
  const client = await elsewhere()
  await enter(client, await people.anonymous())
  const number = await orderPlan(client, BY_HAND.plan, BY_HAND.system, 'by-hand-1')

  await enter(page, admin)
  await page.goto('/orders')
  await markPaid(page, number)
  await expect(client.getByText(BY_HAND.toClient)).toBeVisible()
  await expect(page.getByText(BY_HAND.toOperator)).toBeVisible()
  await axe()

  // Nothing is given before the operator could read what the client chose.
  const choices = `**/api/orders/${number}`
  await page.route(choices, (route) => route.abort())
  await page.getByRole('button', { name: `Provision order ${number}`, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Provision order' })
  const provision = dialog.getByRole('button', { name: 'Provision' })
  await expect(provision).toBeDisabled()
  const node = await nodeWithFreeVm(page)
  await dialog.getByLabel('Node').selectOption(node.name)
  await expect(provision).toBeDisabled()
  // The operator's own VMs are not offered by default.
  const ids = dialog.getByLabel('VM ID')
  await expect(ids.locator('option:checked')).toHaveText('No VM of this node is free')
  await dialog.getByRole('switch', { name: 'Also offer VMs that Hushbox did not create' }).click()
  await expect(ids.locator(`option[value="${node.vmId}"]`)).toContainText(/CPU.*not made here/)
  await ids.selectOption(String(node.vmId))
  await expect(dialog).toContainText('The client’s choices could not be loaded')
  await expect(provision).toBeDisabled()
  await page.unroute(choices)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog).toContainText('First set the hostname inside it.')
  await expect(provision).toBeEnabled()
  await dialog.getByLabel('Username').fill('operator')
  await dialog.getByLabel(/^Password/).fill('chosen by the operator')
  await axe()
  await provision.click()
  await expectToast(page, 'Order provisioned')

  await expect(client.getByText('Your server is ready')).toBeVisible()
  await expect(
    client.getByRole('status').getByText(/Not applied automatically: the hostname/),
  ).toBeVisible()
  await client.getByRole('link', { name: 'Go to your server' }).click()
  await expect(client.getByRole('article', { name: /^Unusual/ })).toContainText('operator')

  await page.getByRole('button', { name: new RegExp(`^Details of order ${number},`) }).click()
  const details = page.getByRole('dialog', { name: `Order ${number}` })
  await expect(details).toContainText('by-hand-1')
  await expect(details).toContainText('Given a server')
  await expect(details).toContainText('Paid directly')
  await expect(page).toHaveURL(new RegExp(`order=${number}$`))
  await axe()
  // The dashboard and the audit log lead to this address.
  await page.reload()
  await expect(details).toContainText('by-hand-1')
})

test('an unpaid order can be given up', async ({ page, people }) => {
  await enter(page, await people.anonymous())
  const number = await orderPlan(page, 'Small', 'Debian 12')
  await page.getByRole('link', { name: 'Back to Billing' }).click()
  await page.getByRole('button', { name: `Cancel order ${number}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the order' }).click()
  await expectToast(page, 'Order cancelled')
  await expect(page.getByRole('heading', { name: /^Open orders/ })).toBeHidden()
})

type Vm = { vmId: number; tokenId: number | null; ownerId: number | null; node: { name: string } }

/** A VM of the demo cluster without an owner. */
async function nodeWithFreeVm(page: Page): Promise<{ name: string; vmId: number }> {
  const reply = await page.request.get('/api/instances')
  const vm = ((await reply.json()) as Vm[]).find(
    ({ tokenId, ownerId }) => tokenId === null && ownerId === null,
  )
  if (!vm) throw new Error('the demo has no VM that is nobody’s')
  return { name: vm.node.name, vmId: vm.vmId }
}
