import type { Page } from '@playwright/test'
import { expectToast } from '../acts/looking.ts'
import { fillRestOfToken, openTokenForm } from '../acts/stocking.ts'
import { expect } from '../house/fixtures.ts'

/** Network, gateway, bridge, first and last address, separated by spaces. */
export async function enterPool(page: Page, cluster: string, network: string): Promise<void> {
  const [cidr = '', gateway = '', bridge = '', first = '', last = ''] = network.split(/\s+/)
  await page.goto('/pools')
  await expect(page.getByRole('button', { name: 'Add Pool' })).toBeEnabled()
  // The discovered network is only proposed: servers are sold from the range that was entered.
  const proposed = page.getByRole('region').filter({ hasText: `${cluster} ·` })
  const remove = proposed.getByRole('button', { name: /^Delete/ })
  await expect(async () => {
    if ((await remove.count()) === 0) return
    await remove.first().click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect(remove).toHaveCount(0)
  }).toPass()
  await page.getByRole('button', { name: 'Add Pool' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add Pool' })
  await dialog.getByLabel('Cluster').selectOption(cluster)
  const values = {
    Name: 'Clients',
    Network: cidr,
    Gateway: gateway,
    Bridge: bridge,
    'DNS servers': '9.9.9.9',
    'Ranges for clients': `${first} - ${last}`,
  }
  for (const [label, value] of Object.entries(values))
    await dialog.getByLabel(label, { exact: true }).fill(value)
  await dialog.getByRole('button', { name: 'Add Pool' }).click()
}

export async function sell(page: Page, name: string, templateId: number): Promise<void> {
  const form = await openTokenForm(page, name)
  await form.getByLabel('Node').selectOption({ index: 1 })
  const template = form.getByLabel('Template')
  const option = template.locator('option', { hasText: `(${templateId})` })
  await expect(option).toHaveCount(1)
  await template.selectOption(await option.innerText())
  await form.getByRole('button', { name: /^\d+\.\d+\.\d+\.\d+$/ }).click()
  await fillRestOfToken(form, '5.00')
  await expectToast(page, 'Token created successfully', '', { timeout: 300_000 })
}
