import type { Page } from '@playwright/test'
import { api } from '#shared/api/index.ts'
import { CLOSE } from '#shared/rules/instance/console-endings.ts'
import { signIn } from '../../src/server/testing/server-process.ts'
import { confirmStop } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { screenText } from '../acts/reading.ts'
import { expect, test } from '../house/fixtures.ts'

const NAME = 'web-frontend'
const PATIENT = { timeout: 20_000 }

type Machine = { id: number; nodeId: number; name: string; status: string }

/** The machine, once the demo cluster has been read. */
async function machineOf(url: string, name: string): Promise<Machine> {
  const call = await signIn(url)
  let machine: Machine | undefined
  await expect
    .poll(async () => {
      const machines = (await (await call('/api/instances')).json()) as Machine[]
      machine = machines.find((one) => one.name === name)
      return machine?.status
    }, PATIENT)
    .toBe('running')
  if (!machine) throw new Error(`no machine ${name}`)
  return machine
}

const idOf = async (url: string, name: string) => (await machineOf(url, name)).id

/** As an administrator does: assigns a running machine to a client, with nothing to pay. */
async function assignTo(url: string, clientUserId: number, name: string): Promise<void> {
  const call = await signIn(url)
  const post = async (path: string, body: unknown) => {
    const reply = await call(path, { method: 'POST', body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as { id: number }
  }
  const { id: instanceId, nodeId } = await machineOf(url, name)
  const { id: tokenId } = await post('/api/tokens', {
    ...{ name, tokenType: 'ready', nodeId, instanceId },
    ...{ username: 'root', password: 'hushbox', osType: 'Debian 12' },
  })
  await post('/api/instances', { tokenId, name, clientUserId })
}

const shows = (page: Page, text: string | RegExp) =>
  expect.poll(() => screenText(page), PATIENT).toMatch(text)

const isConnected = (page: Page) =>
  expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled(PATIENT)

test('the screen of a server opens from its dialog and reacts to the keyboard', async ({
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
  await screen.getByLabel('Text').fill('\nwrong\n~ @ | it works')
  await screen.getByLabel('Keyboard of the server').selectOption('de')
  await screen.getByRole('button', { name: 'Type it' }).click()
  await shows(screen, new RegExp(`^${NAME} login: ~ @ \\| it works$`, 'm'))
  await screen.close()

  await page.goto('/console/2147483647')
  await expect(page.getByRole('alert')).toContainText('The console did not open')
  await axe()
})

test('a console that ends says why, and reconnects', async ({
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
  await confirmStop(page, NAME)
  await expect(notice).toContainText('The server was shut down', PATIENT)
  await notice.getByRole('button', { name: `Start ${NAME}` }).click()
  await isConnected(page)
  await shows(page, /SeaBIOS|login:/)
  await axe()
})

test('every other way in which a console ends has its own words', async ({
  page,
  server,
  signInAsAdmin,
}) => {
  const id = await idOf(server.url, NAME)
  await signInAsAdmin()
  const asked = [
    [CLOSE.unavailable, 'The screen cannot be reached'],
    [CLOSE.idle, 'Nobody used it for ten minutes'],
    [CLOSE.tooMany, 'Too many consoles are open'],
    [CLOSE.refused, 'For a reason.'],
  ] as const
  // Passing failures are retried automatically.
  const passing = [
    [CLOSE.lost, 'The screen was interrupted'],
    [1011, 'The connection was lost'],
  ] as const
  const codes = [...asked, ...passing, [CLOSE.signedOut]].map(([code]) => code)
  await page.routeWebSocket(`**${api.consoles.screen.path}`, (socket) =>
    socket.close({ code: codes.shift() ?? 1000, reason: 'For a reason.' }),
  )
  // The screen ends before the page knows whether the server runs: learning then that it does is no
  // reason to reconnect.
  const firstNotice = Promise.withResolvers<void>()
  await page.route('**/api/instances/*/status', async (route) => {
    await firstNotice.promise
    await route.continue()
  })
  await page.goto(`/console/${id}`)
  const notice = page.getByRole('alert')
  await expect(notice).toBeVisible()
  const status = page.waitForResponse('**/api/instances/*/status')
  firstNotice.resolve()
  await status
  await expect(page.getByRole('heading', { name: NAME })).toBeVisible()
  for (const [, words] of asked) {
    await expect(notice).toContainText(words)
    await notice.getByRole('button', { name: 'Connect again' }).click()
  }
  // Each is shown for a second or two: the page itself checks, at every frame.
  for (const [, words] of passing) {
    await page.waitForFunction(
      (text) => document.querySelector('[role=alert]')?.textContent.includes(text),
      words,
    )
  }
  await expect(notice.getByRole('button', { name: 'Sign in again' })).toBeVisible()
  expect(codes).toEqual([])
})

test('a client sees its own server, and nothing of the cluster', async ({
  page,
  context,
  people,
  server,
}) => {
  const client = await people.client()
  await assignTo(server.url, client.id, 'mail')
  await enter(page, client)
  await page.goto('/my-instances')
  const button = page.getByRole('button', { name: 'Console of mail' })
  await expect(button).toBeEnabled({ timeout: 40_000 })
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Console Access - mail' })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  const opening = context.waitForEvent('page')
  await dialog.getByRole('button', { name: 'Open Console in New Window' }).click()
  const screen = await opening
  await isConnected(screen)
  // Everything the browser received is searched when the test ends: e2e/acts/leaks.ts.
  await shows(screen, /mail login:$/m)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })

  test('the on-screen keyboard types on the server', async ({ page, server, signInAsAdmin }) => {
    const id = await idOf(server.url, 'no-agent')
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
