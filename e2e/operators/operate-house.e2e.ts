import { expectToast } from '../acts/looking.ts'
import { expect, test } from '../house/fixtures.ts'

test('an operating system is added, edited, switched off and deleted', async ({
  page,
  signInAsAdmin,
}) => {
  await signInAsAdmin()
  await page.goto('/settings')
  await page.getByRole('tab', { name: 'Operating Systems' }).click()
  await page.getByRole('button', { name: 'Add Operating System' }).click()
  const add = page.getByRole('form', { name: 'New operating system' })
  await add.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(add).toContainText('OS name is required')
  await add.getByLabel('Name').fill('Plan 9')
  await add.getByRole('button', { name: 'Add', exact: true }).click()
  await expectToast(page, 'Operating system created successfully')
  await page.getByRole('button', { name: 'Edit Plan 9' }).click()
  const edit = page.getByRole('form', { name: 'Edit Plan 9' })
  await edit.getByLabel('Description (optional)').fill('From Bell Labs')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Operating system updated successfully')
  await expect(page.getByText('From Bell Labs')).toBeVisible()
  await page.getByRole('switch', { name: 'Plan 9 is active' }).click()
  await expect(page.getByRole('switch', { name: 'Plan 9 is active' })).not.toBeChecked()
  await page.getByRole('button', { name: 'Delete Plan 9' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectToast(page, 'Operating system deleted successfully')
  await expect(page.getByText('Plan 9')).toHaveCount(0)
})

test('nodes are read again, and their templates link to the manager', async ({
  page,
  signInAsAdmin,
}) => {
  await signInAsAdmin()
  await page.goto('/nodes')
  await page
    .getByRole('button', { name: /^Sync Nodes of/ })
    .first()
    .click()
  await expectToast(page, 'Nodes synced successfully')
  await page.getByRole('link', { name: 'debian-12' }).first().click()
  await expect(page.getByRole('region', { name: 'Details' })).toContainText('Linux')
})

test('an instance is created for a new client, and operated from the view by client', async ({
  page,
  people,
  signInAsAdmin,
}) => {
  test.setTimeout(90_000)
  await signInAsAdmin()
  await page.goto('/instances')
  await page.getByRole('button', { name: 'Create Instance' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create Instance' })
  await dialog.getByRole('button', { name: 'Create Instance' }).click()
  await expect(dialog).toContainText('Please select a token')
  await expect(dialog).toContainText('Instance name is required')
  await expect(dialog).toContainText('Please select or create a client')
  await dialog.getByLabel('Token').selectOption({ index: 1 })
  await dialog.getByLabel('Instance name').fill('for-a-client')
  await dialog.getByText('New client', { exact: true }).click()
  const email = 'by-client@example.test'
  await dialog.getByLabel('E-mail of the new client').fill(email)
  await dialog.getByRole('button', { name: 'Create Instance' }).click()
  await expectToast(page, 'Instance created successfully')
  const made = page.getByRole('dialog', { name: 'Instance created successfully' })
  await expect(made).toContainText('The password is shown this once.')
  await made.getByRole('button', { name: 'Done' }).click()

  try {
    await page.getByRole('tab', { name: 'By client' }).click()
    const client = page.getByRole('region', { name: email })
    await expect(client).toContainText('for-a-client', { timeout: 60_000 })
    await expect(client).toContainText('1 token')
    await client.getByRole('button', { name: 'Shutdown for-a-client' }).click()
    // A guest needs a while to shut down; the button only promises the request.
    await expect(client).toContainText(/Stopp(ing|ed)/)
    await page.goto('/admin-dashboard')
    const card = page.getByRole('region', { name: email })
    await expect(card).toContainText('1 Active Instance')
    await expect(card).toContainText('for-a-client')
  } finally {
    const user = (await people.list()).find((one) => one.email === email)
    await page.request.delete(`/api/admin/users/${user?.id}`)
  }
})
