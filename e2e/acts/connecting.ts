import type { Locator, Page } from '@playwright/test'

export type Connection = { name: string; host: string; port: number; user: [string, string] }

export async function openConnectDialog(page: Page): Promise<Locator> {
  await page.goto('/clusters')
  await page.getByRole('button', { name: 'Add Cluster' }).click()
  return page.getByRole('dialog', { name: 'Add Proxmox Cluster' })
}

/** Fills the form of a new cluster and tests the connection, whatever the result. */
export async function tryConnection(
  dialog: Locator,
  { name, host, port, user }: Connection,
): Promise<void> {
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('Host', { exact: true }).fill(host)
  await dialog.getByLabel('Port', { exact: true }).fill(String(port))
  await dialog.getByLabel('Username', { exact: true }).fill(user[0])
  await dialog.getByLabel(/^Password/).fill(user[1])
  await dialog.getByRole('button', { name: 'Test connection' }).click()
}
