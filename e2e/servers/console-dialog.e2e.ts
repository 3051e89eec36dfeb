import { expectToast, toastOf } from '../acts/looking.ts'
import { expect, test } from '../house/fixtures.ts'

const NAME = 'db-primary'

test.beforeEach(async ({ page, signInAsAdmin }) => {
  await signInAsAdmin()
  await page.goto(`/instances?q=${NAME}`)
  await page.getByRole('button', { name: `Console of ${NAME}` }).click()
})

test('an answer without port and ticket shows an error and never “ready”', async ({
  page,
  axe,
}) => {
  await page.route('**/api/instances/*/console', (route) =>
    route.fulfill({ status: 200, json: { success: true, vnc: { host: 'x' } } }),
  )
  const dialog = page.getByRole('dialog', { name: `Console Access - ${NAME}` })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(
    'Invalid VNC response: missing port and ticket',
  )
  await expectToast(page, 'Console Error', 'Failed to get VNC connection details')
  await expect(toastOf(page)).not.toContainText('Console access ready')
  await axe()
})

test('a missing answer is a failure to connect', async ({ page }) => {
  await page.route('**/api/instances/*/console', (route) => route.abort())
  const dialog = page.getByRole('dialog', { name: `Console Access - ${NAME}` })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  await expectToast(page, 'Console Error', 'Failed to connect to console')
  await expect(dialog.getByRole('alert')).toContainText('Failed to connect to console')
})

test('a refusal shows the words of the server', async ({ page }) => {
  const message = 'The instance is switched off. Start it first.'
  await page.route('**/api/instances/*/console', (route) =>
    route.fulfill({ status: 409, json: { code: 'INVALID_STATE', message } }),
  )
  const dialog = page.getByRole('dialog', { name: `Console Access - ${NAME}` })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  await expectToast(page, 'Console access failed', message)
  await expect(dialog.getByRole('alert')).toContainText(message)
})

test('Escape closes the dialog, not the toast above it', async ({ page }) => {
  const dialog = page.getByRole('dialog', { name: `Console Access - ${NAME}` })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  await expectToast(page, 'Console access ready')
  await expect(dialog.getByRole('button', { name: 'Open Console in New Window' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(toastOf(page)).toBeVisible()
  // With no dialog open, Escape closes the toast.
  await page.keyboard.press('Escape')
  await expect(toastOf(page)).toHaveCount(0)
})

test('the toolbar of the console fits on one line of its own window', async ({ page }) => {
  const id = await page.request
    .get('/api/instances')
    .then((reply) => reply.json() as Promise<{ id: number; name: string }[]>)
    .then((list) => list.find(({ name }) => name === NAME)?.id)
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.goto(`/console/${id}`)
  const bar = page.getByRole('toolbar', { name: 'Console' })
  await expect(bar.getByRole('button', { name: 'Reconnect' })).toBeVisible()
  await expect(bar.getByText('Running')).toBeVisible()
  const tops = await bar.getByRole('button').evaluateAll((buttons) =>
    buttons
      .filter((button) => button.checkVisibility())
      .map((button) => {
        const { top, height } = button.getBoundingClientRect()
        return Math.round((top + height / 2) / 4)
      }),
  )
  expect(new Set(tops).size).toBe(1)
})
