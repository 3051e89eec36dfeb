import { expect, type Page } from '@playwright/test'
import { signIn } from '../../src/server/testing/server-process.ts'

/** Orders a plan on the pricing page and continues to the page of the order. Returns its number. */
export async function orderPlan(
  page: Page,
  plan: string,
  system: string,
  hostname = '',
): Promise<string> {
  await page.goto('/pricing')
  await page.getByRole('button', { name: `Order ${plan}` }).click()
  const dialog = page.getByRole('dialog', { name: `Order ${plan}` })
  await dialog.getByLabel('Operating system').selectOption(system)
  await dialog.getByLabel('Hostname').fill(hostname)
  await dialog.getByRole('button', { name: /^Order for/ }).click()
  await expect(page).toHaveURL(/\/billing\/orders\/\d+$/)
  return page.url().split('/').at(-1) ?? ''
}

/** A system without a template, and a plan that offers only that. */
export const BY_HAND = {
  system: 'FreeBSD 14',
  plan: 'Unusual',
  /** The client's text, and the operator's action. */
  toClient: 'Your server is being prepared by hand. You do not have to do anything.',
  toOperator: 'There is no template for FreeBSD 14 with a cloud-init drive yet.',
}

/** Puts a plan on sale that cannot be delivered automatically: its orders wait for the operator. */
export async function sellByHand(url: string): Promise<void> {
  const call = await signIn(url)
  const post = async (path: string, body: object) => {
    const reply = await call(path, { method: 'POST', body: JSON.stringify(body) })
    // Another test of this worker may have created it before.
    if (!reply.ok && reply.status !== 409) throw new Error(`${path}: ${reply.status}`)
  }
  const known = (await (await call('/api/packages')).json()) as { name: string }[]
  if (known.some(({ name }) => name === BY_HAND.plan)) return
  await post('/api/operating-systems', { name: BY_HAND.system, description: null, isActive: true })
  await post('/api/packages', {
    name: BY_HAND.plan,
    cpu: '1 CPU',
    ram: '1 GB RAM',
    storage: '10 GB SSD',
    price: 6,
    osOptions: [BY_HAND.system],
  })
}
