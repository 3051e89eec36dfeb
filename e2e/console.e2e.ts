import type { Page } from '@playwright/test'
import { signIn } from '../src/server/testing/server-process.ts'
import { expect, test } from './fixtures.ts'
import { screenText } from './reading.ts'

const NAME = 'web-frontend'
const PATIENT = { timeout: 20_000 }

type Machine = { id: number; name: string; status: string }

/** Its id, once the demo cluster has been read. */
async function idOf(url: string, name: string): Promise<number> {
  const call = await signIn(url)
  let machine: Machine | undefined
  await expect
    .poll(async () => {
      const machines = (await (await call('/api/instances')).json()) as Machine[]
      machine = machines.find((one) => one.name === name)
      return machine?.status
    }, PATIENT)
    .toBe('running')
  return machine?.id ?? 0
}

const shows = (page: Page, text: string | RegExp) =>
  expect.poll(() => screenText(page), PATIENT).toMatch(text)

const isConnected = (page: Page) =>
  expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled(PATIENT)

test('the screen of a server opens from its dialog and answers the keyboard', async ({
  page,
  context,
  server,
  signInAsAdmin,
  axe,
}) => {
  await idOf(server.url, NAME)
  await signInAsAdmin()
  await page.goto('/proxmox-manager')
  await page.getByRole('treeitem', { name: new RegExp(NAME) }).click()
  await page.getByRole('button', { name: `Console of ${NAME}` }).click()
  const dialog = page.getByRole('dialog', { name: `Console Access - ${NAME}` })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  const opening = context.waitForEvent('page')
  await dialog.getByRole('button', { name: 'Open Console in New Window' }).click()
  const screen = await opening
  await isConnected(screen)
  expect(new URL(screen.url()).hash).toBe('')
  await expect(screen.getByRole('heading', { level: 1 })).toContainText(NAME)
  await shows(screen, new RegExp(`${NAME} login:$`, 'm'))

  await screen.locator('canvas').click()
  await screen.keyboard.type('root')
  await shows(screen, new RegExp(`${NAME} login: root$`, 'm'))
  await screen.getByRole('button', { name: 'Paste' }).click()
  await screen.getByLabel('Text').fill('\nhushbox\necho it works ~ @ |\n')
  await screen.getByLabel('Keyboard of the server').selectOption('de')
  await screen.getByRole('button', { name: 'Type it' }).click()
  await shows(screen, /^it works ~ @ \|$/m)
  await screen.close()

  await page.goto('/console/2147483647')
  await expect(page.getByRole('alert')).toContainText('The console did not open')
  await axe()
})

test('a console that ends says why, and comes back', async ({
  page,
  server,
  signInAsAdmin,
  axe,
}) => {
  const id = await idOf(server.url, NAME)
  await signInAsAdmin()
  await page.goto(`/console/${id}#${'x'.repeat(43)}`)
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('The console did not open')
  await expect(notice).toContainText('used up or too old')
  await notice.getByRole('button', { name: 'Connect again' }).click()
  await isConnected(page)

  await page.getByRole('button', { name: `Stop ${NAME}` }).click()
  await expect(notice).toContainText('The server was shut down', PATIENT)
  await notice.getByRole('button', { name: `Start ${NAME}` }).click()
  await isConnected(page)
  await shows(page, /SeaBIOS|login:/)
  await axe()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })

  test('the on-screen keyboard types on the server', async ({ page, server, signInAsAdmin }) => {
    const id = await idOf(server.url, 'mail')
    await signInAsAdmin()
    await page.goto(`/console/${id}`)
    await isConnected(page)
    await shows(page, /login:$/m)
    await page.getByRole('button', { name: 'On-screen keyboard' }).click()
    const field = page.getByLabel('Type on the server’s keyboard')
    await field.focus()
    await field.press('End')
    await page.keyboard.insertText('robt')
    await field.press('Backspace')
    await page.keyboard.insertText('ot')
    await shows(page, /login: robot$/m)
    const widest = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(widest).toBeLessThanOrEqual(360)
  })
})
