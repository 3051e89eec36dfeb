import { signIn } from '../src/server/testing/server-process.ts'
import { expect, test } from './fixtures.ts'

type Machine = { id: number; name: string; status: string }

/** The picture of the screen as text, to see whether it changed. */
const picture = () => {
  const canvas = document.querySelector('canvas')
  return canvas === null ? '' : canvas.toDataURL()
}

test('the screen of a server opens in the browser and answers the keyboard', async ({
  page,
  server,
  signInAsAdmin,
}) => {
  const call = await signIn(server.url)
  let running: Machine | undefined
  await expect
    .poll(async () => {
      const machines = (await (await call('/api/instances')).json()) as Machine[]
      running = machines.find(({ status }) => status === 'running')
      return running?.status
    })
    .toBe('running')
  await signInAsAdmin()
  await page.goto(`/console/${running?.id}`)
  await expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled()
  const canvas = page.locator('canvas')
  await expect(canvas).toBeVisible()

  const before = await page.evaluate(picture)
  await canvas.click()
  await page.keyboard.type('hello')
  await expect.poll(() => page.evaluate(picture)).not.toBe(before)

  const typed = await page.evaluate(picture)
  await page.getByRole('button', { name: 'Paste' }).click()
  await page.getByLabel('Text').fill('pasted')
  await page.getByRole('button', { name: 'Type it' }).click()
  await expect.poll(() => page.evaluate(picture)).not.toBe(typed)
})
