import type { Locator, Page } from '@playwright/test'
import { expect } from './fixtures.ts'
import { expectToast } from './looking.ts'
import { fillRestOfToken, openTokenForm } from './stocking.ts'

/** Network, gateway, bridge, first and last address, separated by spaces. */
export async function confirmNetwork(settings: Locator, network: string): Promise<void> {
  const [cidr = '', gateway = '', bridge = '', first = '', last = ''] = network.split(/\s+/)
  await settings.getByRole('tab', { name: 'New VMs' }).click()
  // The discovered network is only proposed: servers are sold from the range that was entered.
  const remove = settings.getByRole('button', { name: /^Remove network/ })
  while ((await remove.count()) > 0) await remove.first().click()
  await settings.getByRole('button', { name: 'Add network' }).click()
  const values = {
    Network: cidr,
    Gateway: gateway,
    Bridge: bridge,
    'DNS servers': '9.9.9.9',
    'Search domain': 'localdomain',
    'First address for clients': first,
    'Last address for clients': last,
  }
  for (const [label, value] of Object.entries(values))
    await settings.getByLabel(label, { exact: true }).fill(value)
  await settings.getByLabel('This range is free for clients').check()
  await settings.getByRole('button', { name: 'Save' }).click()
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
