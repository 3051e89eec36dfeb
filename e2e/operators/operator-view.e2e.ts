import { expectToast, overflowOf, settled, toastOf } from '../acts/looking.ts'
import { expect } from '../house/fixtures.ts'
import { SECOND, connected as test, vmIn } from '../house/second-cluster.ts'

test('two clusters that both have a pve1 are told apart wherever a node is named', async ({
  page,
  axe,
}) => {
  await page.goto('/instances')
  await settled(page)
  for (const name of [`pve1 (${SECOND})`, /^pve1 \((?!Second)/]) {
    const heading = page.getByRole('heading', { level: 2, name })
    await page.getByRole('searchbox').fill(typeof name === 'string' ? SECOND : '')
    await expect(heading).toBeVisible()
  }
  await axe()
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Create Token' }).click()
  const nodes = page.getByRole('dialog').getByLabel('Node', { exact: true })
  await expect(nodes.locator('option', { hasText: `pve1 (${SECOND})` })).toHaveCount(1)
  const labels = await nodes.locator('option').allTextContents()
  expect(new Set(labels).size).toBe(labels.length)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to, find or do' }).fill('pve1')
  await expect(page.getByRole('option', { name: `pve1 (${SECOND})` })).toBeVisible()
  await axe()
})

test('a hard stop asks first, names the owner of the server, and offers a shutdown', async ({
  page,
  sim,
  axe,
}) => {
  const { vmId, name } = vmIn(sim, 'running')
  const asked = (act: string) =>
    sim.requests.filter(({ path }) => path.endsWith(`/${vmId}/status/${act}`)).length
  await page.goto(`/instances?q=${name}`)
  const stop = page.getByRole('button', { name: `Stop ${name}` })
  await stop.click()
  const question = page.getByRole('alertdialog', { name: `Stop ${name}?` })
  await expect(question).toContainText('belongs to no client')
  await expect(question).toContainText(new RegExp(`VM ${vmId} on pve\\d \\(${SECOND}\\)`))
  await axe()
  await page.keyboard.press('Escape')
  await expect(question).toHaveCount(0)
  await expect(stop).toBeFocused()
  expect(asked('stop')).toBe(0)
  await stop.click()
  await expect(question.getByRole('button', { name: 'Shut down instead' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expectToast(page, 'Instance shutdown successfully')
  expect(asked('stop')).toBe(0)
  expect(asked('shutdown')).toBe(1)
  expect(sim.state.vms.get(vmId)?.qmp).toBe('stopped')
})

test('a slow shutdown is not reported as done before it is', async ({ page, sim }) => {
  const { vmId, name } = vmIn(sim, 'running')
  sim.faults.add({ kind: 'latency', path: `/${vmId}/status/shutdown`, ms: 5000 })
  await page.goto(`/instances?q=${name}`)
  const row = page.getByRole('article', { name, exact: true })
  await row.getByRole('button', { name: `Stop ${name}` }).click()
  await page.getByRole('button', { name: 'Shut down instead' }).click()
  await expectToast(page, 'The instance is shutting down.')
  await expect(row).toContainText('Stopping')
  await expect(toastOf(page).filter({ hasText: 'Instance shutdown successfully' })).toBeVisible({
    timeout: 30_000,
  })
  await expect(row).toContainText('Stopped')
})

test('a changed certificate needs attention, and one press opens its settings', async ({
  page,
  sim,
  second,
  axe,
}) => {
  await sim.rotateCertificate()
  await page.request.post(`/api/nodes/sync/${second.id}`)
  await page.goto('/admin-dashboard')
  const row = page.getByRole('link', { name: `Cluster ${SECOND} shows a certificate` })
  await expect(row).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Nothing needs attention')).toHaveCount(0)
  await axe()
  await row.click()
  await expect(page).toHaveURL(`/clusters?settings=${second.id}`)
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(SECOND)
  await axe()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/clusters')
  const listed = page.getByRole('row', { name: new RegExp(SECOND) })
  await expect(listed).toContainText('Disconnected')
  // So that the fixture can remove the cluster again.
  await page.goto('/nodes?show=offline')
  await expect(page.getByRole('button', { name: 'Only offline nodes' })).toBeVisible()
})

test('the configuration can be saved in a low window', async ({ page, sim }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const { name } = vmIn(sim, 'stopped')
  await page.goto(`/instances?q=${name}`)
  await page.getByRole('button', { name: `Settings of ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Instance configuration' })
  const save = dialog.getByRole('button', { name: 'Save' })
  for (const height of [900, 600]) {
    await page.setViewportSize({ width: 1440, height })
    await expect(save).toBeInViewport({ ratio: 1 })
    const [panel, button] = await Promise.all([dialog.boundingBox(), save.boundingBox()])
    const below = (panel?.y ?? 0) + (panel?.height ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)
    expect(below).toBeGreaterThanOrEqual(8)
  }
  expect(await overflowOf(page)).toEqual([])
})
