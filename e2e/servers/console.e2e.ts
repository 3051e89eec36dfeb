import { signIn } from '../../src/server/testing/server-process.ts'
import { isConnected, machineOf, shows } from '../acts/consoles.ts'
import { enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

const NAME = 'web-frontend'
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

test('the screen of a server opens from its dialog and reacts to the keyboard', async ({
  page,
  context,
  server,
  signInAsAdmin,
  axe,
}) => {
  await machineOf(server.url, NAME)
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
    const { id } = await machineOf(server.url, 'no-agent')
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
