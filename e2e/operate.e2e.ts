import { startSim } from '#pve-sim/sim.ts'
import { expect, test } from './fixtures.ts'
import { expectToast } from './looking.ts'

test('an operator switches a server off and on', async ({ page, signInAsAdmin }) => {
  await signInAsAdmin()
  await page.goto('/proxmox-manager')
  await page.getByRole('treeitem', { name: /db-primary/ }).click()
  await page.getByRole('button', { name: /^Stop db-primary/ }).click()
  await expectToast(page, 'Instance stopped successfully')
  await page.getByRole('button', { name: /^Start db-primary/ }).click()
  await expectToast(page, 'Instance started successfully')
})

test('a cluster is added only with the right certificate and password', async ({
  page,
  signInAsAdmin,
}) => {
  const sim = await startSim({ seed: 7, nodes: 2, vms: 4, authDelayMs: 0 })
  try {
    await signInAsAdmin()
    await page.goto('/clusters')
    await expect(page.getByText('Connected Clusters (1)')).toBeVisible()
    await page.getByRole('button', { name: 'Add Cluster' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add Proxmox Cluster' })
    await dialog.getByLabel('Name', { exact: true }).fill('Second')
    await dialog.getByLabel('Host', { exact: true }).fill(sim.host)
    await dialog.getByLabel('Port', { exact: true }).fill(String(sim.port))
    await dialog.getByLabel('Username', { exact: true }).fill('root@pam')
    await dialog.getByLabel(/^Password/).fill('wrong')
    await dialog.getByRole('button', { name: 'Test connection' }).click()
    await expect(dialog).toContainText(sim.fingerprint.slice(0, 5))
    await dialog.getByRole('button', { name: 'It matches, trust it' }).click()
    await expect(dialog.getByRole('alert')).toBeVisible()
    await dialog.getByLabel(/^Password/).fill(sim.password)
    await dialog.getByRole('button', { name: 'Test connection' }).click()
    await dialog.getByRole('button', { name: 'Add Cluster' }).click()
    await expectToast(page, 'Cluster connection created and synced successfully')
    await expect(page.getByText('Connected Clusters (2)')).toBeVisible()

    // The other tests of this worker meet the demo cluster alone.
    const reply = await page.request.get('/api/clusters')
    const clusters = (await reply.json()) as { id: number; name: string }[]
    const { id } = clusters.find(({ name }) => name === 'Second') ?? {}
    expect((await page.request.delete(`/api/clusters/${id}`)).status()).toBe(204)
  } finally {
    await sim.close()
  }
})
