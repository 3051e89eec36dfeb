import type { Page } from '@playwright/test'
import { confirmStop, expectToast } from '../acts/looking.ts'
import { expect } from '../house/fixtures.ts'
import { connected as test, vmIn } from '../house/second-cluster.ts'

/** The row of a VM of the second cluster, alone in the list. */
async function showRow(page: Page, name: string) {
  await page.goto(`/instances?q=${name}`)
  const row = page.getByRole('article', { name, exact: true })
  await expect(row).toBeVisible()
  return row
}

test('a row starts, restarts and stops its VM', async ({ page, sim }) => {
  const { vmId, name } = vmIn(sim, 'stopped')
  const stateOf = () => sim.state.vms.get(vmId)?.qmp
  const row = await showRow(page, name)
  await expect(row).toContainText('Offline')
  await expect(row.getByRole('button', { name: `Stop ${name}` })).toBeDisabled()
  await row.getByRole('button', { name: `Console of ${name}` }).click()
  const console = page.getByRole('dialog', { name: `Console Access - ${name}` })
  await expect(console).toContainText('This server is off')
  await page.keyboard.press('Escape')
  await expect(console).toHaveCount(0)
  await row.getByRole('button', { name: `Start ${name}`, exact: true }).click()
  await expectToast(page, 'Instance started successfully')
  expect(stateOf()).toBe('running')
  await row.getByRole('button', { name: `Restart ${name}` }).click()
  await expectToast(page, 'Instance restarted successfully')
  expect(sim.requests.some(({ path }) => path.endsWith(`/${vmId}/status/reboot`))).toBe(true)
  await row.getByRole('button', { name: `Console of ${name}` }).click()
  await expect(page.getByRole('dialog', { name: `Console Access - ${name}` })).toBeVisible()
  await page.keyboard.press('Escape')
  await row.getByRole('button', { name: `Stop ${name}` }).click()
  await confirmStop(page, name)
  await expectToast(page, 'Instance stopped successfully')
  expect(stateOf()).toBe('stopped')
})

test('a VM is configured, and the cluster has the requested values', async ({ page, sim }) => {
  const { vmId, name } = vmIn(sim, 'stopped')
  const before = { ...sim.state.vms.get(vmId)?.config }
  const row = await showRow(page, name)
  await row.getByRole('button', { name: `Settings of ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Instance configuration' })
  await dialog.getByLabel('Cores').fill('33')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Cores must be 1 to 32')
  await dialog.getByLabel('Cores').fill('3')
  await dialog.getByLabel('Memory (MB)').fill('1536')
  await dialog.getByRole('tab', { name: 'Options' }).click()
  await dialog.getByLabel('OS type').selectOption({ label: 'Windows 11' })
  await dialog.getByRole('switch', { name: 'Start on boot' }).click()
  for (const [tab, words] of [
    ['Cloud-Init', /Cloud-Init configuration will be available/],
    ['Backup', /Backup configuration will be available/],
  ] as const) {
    await dialog.getByRole('tab', { name: tab }).click()
    await expect(dialog).toContainText(words)
  }
  // A tab without fields has nothing to save.
  await expect(dialog.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await dialog.getByRole('tab', { name: 'Hardware' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Configuration Updated')
  const { cores, memory, ostype, onboot, machine, ...rest } = sim.state.vms.get(vmId)?.config ?? {}
  expect({ cores, memory, ostype, onboot, machine }).toEqual({
    cores: '3',
    memory: '1536',
    ostype: 'win11',
    onboot: before.onboot === '1' ? '0' : '1',
    // Proxmox VE pins it for a VM that becomes Windows.
    machine: expect.stringMatching(/^pc-i440fx-\d/),
  })
  // Nothing else was changed.
  expect(before).toMatchObject(rest)
})

test('a VM whose deletion is confirmed by its id is removed from the cluster', async ({
  page,
  sim,
}) => {
  const { vmId, name } = vmIn(sim, 'running')
  const row = await showRow(page, name)
  await row.getByRole('button', { name: `Delete ${name}` }).click()
  const confirm = page.getByRole('alertdialog')
  await expect(confirm).toContainText(
    new RegExp(`VM ${vmId} on pve\\d \\(Second\\) is destroyed with`),
  )
  await expect(confirm.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await confirm.getByLabel(`Type ${vmId} to confirm`).fill(String(vmId))
  await confirm.getByRole('button', { name: 'Delete' }).click()
  // Behind the dialog the list is hidden, which does not mean removed.
  await expect(confirm).toHaveCount(0)
  await expect.poll(() => sim.state.vms.has(vmId), { timeout: 20_000 }).toBe(false)
  await expect(row).toHaveCount(0, { timeout: 20_000 })
  await page.getByRole('button', { name: 'Sync to Proxmox' }).click()
  await expectToast(page, 'Sync Complete')
  await expect(row).toHaveCount(0)
})

test('a template is configured, viewed and cloned', async ({ page, sim }) => {
  const config = () => sim.state.vms.get(100)?.config ?? {}
  await page.goto('/proxmox-manager?q=vm-100')
  await page.getByRole('treeitem', { name: /vm-100/ }).click()
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('button', { name: 'Configure' }).click()
  const form = page.getByRole('form', { name: 'Template configuration' })
  await form.getByLabel('Memory (MB)').fill('3072')
  await form.getByLabel('CPU Cores').fill('3')
  await form.getByLabel('Description').fill('For the web')
  await form.getByRole('checkbox', { name: 'Start on boot' }).click()
  await form.getByRole('button', { name: 'Save to Proxmox' }).click()
  await expectToast(page, 'Configuration Updated')
  expect(config()).toMatchObject({ memory: '3072', cores: '3', description: 'For the web' })

  await details.getByRole('button', { name: 'Configure' }).click()
  await form.getByLabel('Description').fill('')
  await form.getByRole('button', { name: 'Save to Proxmox' }).click()
  await expect(form).toHaveCount(0)
  expect(config()).not.toHaveProperty('description')

  await details.getByRole('button', { name: 'View' }).click()
  const view = page.getByRole('dialog', { name: 'vm-100' })
  await expect(view).toContainText('3072')
  await expect(view).toContainText('Linux')
  await view.getByRole('button', { name: 'Close' }).first().click()

  await details.getByRole('button', { name: 'Clone' }).click()
  const clone = page.getByRole('dialog', { name: 'Clone template' })
  await clone.getByLabel('Name of the new instance').fill('made-from-it')
  await clone.getByRole('button', { name: 'Clone' }).click()
  await expectToast(page, 'Cloning...')
  await page.goto('/instances?q=made-from-it')
  await expect(page.getByRole('article', { name: 'made-from-it' })).toContainText('Stopped', {
    timeout: 20_000,
  })
  const names = [...sim.state.vms.values()].map((vm) => vm.config.name)
  expect(names).toContain('made-from-it')
})

for (const kind of ['black-hole', '502', '403'] as const) {
  test(`while the cluster fails by ${kind} the last known state stays, and the cause is shown`, async ({
    page,
    sim,
  }) => {
    const { name } = vmIn(sim, 'running')
    sim.faults.add({ kind })
    const row = await showRow(page, name)
    await page.getByRole('button', { name: 'Sync to Proxmox' }).click()
    // The demo cluster answers: its part is done, and the other's failure is shown beside it.
    await expectToast(page, 'Sync Complete', 'Second: The ')
    await row.getByRole('button', { name: `Settings of ${name}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Instance configuration' })
    await expect(dialog).toContainText('Failed to load configuration')
    await page.keyboard.press('Escape')
    await expect(row).toBeVisible()
    await page.goto('/proxmox-manager?q=vm-1')
    await expect(page.getByRole('treeitem', { name: new RegExp(name) })).toBeVisible()
    await page.goto('/nodes')
    await expect(page.getByRole('article', { name: 'pve1' })).toHaveCount(2)
    await page.goto('/clusters')
    await expect(page.getByRole('row', { name: /Second/ })).toContainText(/The (cluster|account)/, {
      timeout: 30_000,
    })
  })
}
