import { confirmStop, expectToast } from '../acts/looking.ts'
import { test } from '../house/fixtures.ts'

test('an operator switches a server off and on', async ({ page, signInAsAdmin }) => {
  await signInAsAdmin()
  await page.goto('/proxmox-manager')
  await page.getByRole('treeitem', { name: /db-primary/ }).click()
  await page.getByRole('button', { name: /^Stop db-primary/ }).click()
  await confirmStop(page, 'db-primary')
  await expectToast(page, 'Instance stopped successfully')
  await page.getByRole('button', { name: /^Start db-primary/ }).click()
  await expectToast(page, 'Instance started successfully')
})
