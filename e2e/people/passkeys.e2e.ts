import type { Page } from '@playwright/test'
import { freePort } from '../../src/server/testing/free-port.ts'
import { type ServerProcess, startProcess } from '../../src/server/testing/server-process.ts'
import { expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { codeFor, press, setUpApp } from '../acts/second-factor.ts'
import { test as base, endServer, expect, fillSignIn } from '../house/fixtures.ts'

/** Browsers make passkeys for names only, and the server must know which: an address of its own. */
const test = base.extend<object, { server: ServerProcess }>({
  server: [
    async ({}, use) => {
      const PORT = String(await freePort())
      const server = await startProcess({ PORT, PUBLIC_URL: `http://localhost:${PORT}` })
      await use(server)
      await endServer(server)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

/** A device with a sensor, as Chromium itself pretends one. Always says yes. */
async function plugIn(page: Page): Promise<{ unplug(): Promise<void> }> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    unplug: async () => {
      await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}

/** As if ten minutes had passed since the last code: no page and no call can do that. */
async function askForProofOnce(page: Page): Promise<void> {
  const json = { code: 'SECOND_FACTOR_REQUIRED', message: 'Now', details: { reason: 'prove' } }
  const once = { times: 1 }
  await page.route('**/passkeys/options', (route) => route.fulfill({ status: 403, json }), once)
}

test('a passkey is added, used to sign in and to confirm, and removed', async ({
  page,
  people,
  axe,
}) => {
  const person = await people.client()
  await enter(page, person)
  await page.goto('/settings?tab=security')
  await expect(page.getByText('Then you can add passkeys to it')).toBeVisible()
  const secret = await setUpApp(page, person)
  const device = await plugIn(page)
  await press(page, 'Add passkey')
  const dialog = page.getByRole('dialog', { name: 'Add passkey' })
  await dialog.getByLabel('Name').fill('Laptop')
  await axe()
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await expectToast(page, 'Passkey added')
  const remove = page.getByRole('button', { name: 'Remove Laptop' })
  const row = page.getByRole('listitem').filter({ has: remove })
  await expect(row).toContainText('Never used')

  await press(page, 'Logout')
  await page.goto('/login')
  await fillSignIn(page, person.username, person.password)
  await axe()
  await press(page, 'Use a passkey')
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
  await page.goto('/settings?tab=security')
  await expect(row).toContainText('Last used')

  await askForProofOnce(page)
  await press(page, 'Add passkey')
  await dialog.getByLabel('Name').fill('The same again')
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await proof.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(proof).toBeHidden()
  await expect(dialog.getByText('This device has a passkey for this account')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await remove.click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'Passkey removed')
  await expect(page.getByText('No passkeys yet')).toBeVisible()
  await device.unplug()

  await press(page, 'Logout')
  await page.goto('/login')
  await fillSignIn(page, person.username, person.password)
  const code = page.getByLabel('Code of your authenticator app')
  await expect(code).toBeVisible()
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeHidden()
  await code.fill(codeFor(secret, 1))
  await press(page, 'Sign In')
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible()
})
