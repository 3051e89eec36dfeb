import { ADMIN, signIn, startProcess } from '../../src/server/testing/server-process.ts'
import { confirmStop, expectToast, settled } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect, fillSignIn, test } from '../house/fixtures.ts'

const FIELD = { name: 'Go to, find or do' }

test('the palette opens pages, finds objects by name and switches servers', async ({ page }) => {
  await enter(page, admin)
  await page.goto('/')
  await settled(page)
  const field = page.getByRole('combobox', FIELD)
  const chosen = page.getByRole('option', { selected: true })

  await page.keyboard.press('Control+k')
  await expect(field).toBeFocused()
  await page.keyboard.type('cluster conn')
  await expect(chosen).toHaveText(/Cluster Connections/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/clusters')
  await expect(field).toBeHidden()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('db-primary')
  await expect(chosen).toHaveText(/db-primary/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/servers\/\d+/)

  await page.keyboard.press('Control+k')
  await page.keyboard.type('stop db-primary')
  await expect(chosen).toHaveText('Stop db-primary')
  await page.keyboard.press('Enter')
  await confirmStop(page, 'db-primary')
  await expectToast(page, 'Instance stopped successfully')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('start db-primary')
  await expect(chosen).toHaveText('Start db-primary')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Instance started successfully')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('nothing is called this')
  await expect(page.getByText('No matches.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

test('the palette finds people and tokens', async ({ page, people }) => {
  const person = await people.client()
  await enter(page, admin)
  await page.goto('/')
  await settled(page)
  for (const [typed, address] of [
    [person.username, `/users?q=${person.username}`],
    ['Large, 4 CPU', /\/tokens\?q=/],
  ] as const) {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', FIELD)
    await expect(field).toBeFocused()
    await page.keyboard.type(typed)
    await expect(page.getByRole('option', { selected: true })).toContainText(typed)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(address)
    await expect(field).toBeHidden()
  }
})

test('single keys open help and search, and can be turned off', async ({ page }) => {
  await enter(page, admin)
  await page.goto('/users')
  await settled(page)
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Find an account' })).toBeFocused()
  // In a field they are letters.
  await page.keyboard.type('?/')
  await expect(page.getByRole('searchbox')).toHaveValue('?/')
  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck()
  await page.keyboard.press('Escape')
  await page.reload()
  await settled(page)
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', FIELD)).toBeVisible()
  await expect(help).toBeHidden()
})

test('a lost connection is shown until it is back, and missed changes are read', async ({
  browser,
}) => {
  const first = await startProcess()
  const context = await browser.newContext({ baseURL: first.url })
  const page = await context.newPage()
  await page.goto('/login')
  await fillSignIn(page, ADMIN.email, ADMIN.password)
  await page.getByRole('link', { name: 'System Users' }).click()
  await expect(page.getByText('1 account', { exact: true })).toBeVisible()

  await first.stop()
  await expect(page.getByText('Reconnecting…')).toBeVisible()
  const { port } = new URL(first.url)
  const second = await startProcess({ PORT: port }, first.dataDir)
  try {
    const call = await signIn(second.url)
    const body = JSON.stringify({ email: 'meanwhile@example.test' })
    expect((await call('/api/users', { method: 'POST', body })).status).toBe(201)
    await expect(page.getByText('Reconnecting…')).toBeHidden({ timeout: 30_000 })
    await expect(page.getByText('meanwhile@example.test').first()).toBeVisible()
  } finally {
    await context.close()
    await second.stop()
  }
})
