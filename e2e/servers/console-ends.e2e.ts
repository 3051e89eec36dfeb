import { api } from '#shared/api/index.ts'
import { CLOSE } from '#shared/rules/instance/console-endings.ts'
import { isConnected, machineOf, PATIENT, shows } from '../acts/consoles.ts'
import { confirmStop } from '../acts/looking.ts'
import { expect, test } from '../house/fixtures.ts'

const NAME = 'web-frontend'

test('a console that ends says why, and reconnects', async ({
  page,
  server,
  signInAsAdmin,
  axe,
}) => {
  const { id } = await machineOf(server.url, NAME)
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
  const { id } = await machineOf(server.url, NAME)
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
