import type { Page } from '@playwright/test'
import { PUBLIC_KEYS } from '../../src/shared/rules/ssh/testing/public-keys.ts'
import { cardOf, take, wayIn } from '../acts/buying.ts'
import { confirmStop, expectToast, toastOf } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { differences, pictureOf } from '../acts/reading.ts'
import { expect } from '../house/fixtures.ts'
import { connectCluster, noCluster, PATIENT, RUN, realTest, vmIdOf } from './real-fixtures.ts'
import { configOf, disksOf, find, type Pve, stateOf } from './real-pve.ts'
import { sell } from './real-shop.ts'

// From the commands of the operator guide to a server that is sold, switched and ended, on a real
// Proxmox VE cluster. src/proxmox/README.md lists the variables it reads.

const { PVE_TEMPLATE, PVE_DEAF_TEMPLATE } = process.env

const SERVER = `Real ${RUN}, 1 CPU, 1 GB RAM, 2 GB SSD`
const SILENT = `Deaf ${RUN}, 1 CPU, 1 GB RAM, 2 GB SSD`

/** For this long a booted guest shows the same picture (but for its cursor) or stays off. */
const REST_MS = 15_000
const CURSOR_PIXELS = 8 * 16

const test = realTest()
test.skip(noCluster() !== undefined, noCluster() ?? '')
test.use({ actionTimeout: 60_000 })
test.describe.configure({ mode: 'serial', timeout: 1_200_000 })

const statusOf = async (pve: Pve, vmid: number) => (await stateOf(pve, vmid)).status

test('the operator connects the cluster, enters a pool and puts servers on sale', async ({
  page,
  pve,
  signInAsAdmin,
}) => {
  await signInAsAdmin()
  await connectCluster(page, pve, (name) => keep(page, name))
  await page.goto('/tokens')
  await sell(page, SERVER, Number(PVE_TEMPLATE))
  if (PVE_DEAF_TEMPLATE) await sell(page, SILENT, Number(PVE_DEAF_TEMPLATE))
})

test('a visitor buys a server, sees its screen and switches it off and on', async ({
  page,
  context,
  pve,
  people,
}) => {
  await page.goto('/register')
  await page.getByRole('checkbox', { name: /Terms of Service/ }).check()
  await page.getByRole('button', { name: 'Create Account' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Save your username/, PATIENT)
  const shown = (await page.getByRole('definition').allInnerTexts()).join().replaceAll(/\s/g, '')
  const [username = ''] = /\d{7}/.exec(shown) ?? []
  const [password = ''] = /([\dA-Z]{5}-){5}[\dA-Z]/.exec(shown) ?? []
  pve.buyer = { username, password }
  await page.getByRole('button', { name: 'Copy both' }).click()
  await page.getByRole('button', { name: 'I have saved these' }).click()
  await expect(page.getByText('No VPS Tokens Yet')).toBeVisible(PATIENT)

  const card = await take(page, SERVER)
  await expect(wayIn(card)).toBeVisible(PATIENT)
  const vmid = await vmIdOf(people, SERVER)
  expect(await statusOf(pve, vmid)).toBe('running')

  await card.getByRole('button', { name: /^Console of/ }).click()
  const dialog = page.getByRole('dialog', { name: /^Console Access/ })
  await dialog.getByRole('button', { name: 'Get Console Access' }).click()
  const opening = context.waitForEvent('page')
  await dialog.getByRole('button', { name: 'Open Console in New Window' }).click()
  const screen = await opening
  // A node that is too busy to open its screen in time is asked again.
  const again = screen.getByRole('button', { name: 'Connect again' })
  await expect(async () => {
    if (await again.isVisible()) await again.click()
    const key = screen.getByRole('button', { name: 'Ctrl-Alt-Del' })
    await expect(key).toBeEnabled({ timeout: 30_000 })
  }).toPass(PATIENT)
  const colours = async () => new Set((await pictureOf(screen)).rgb).size
  await expect.poll(colours, PATIENT).toBeGreaterThan(1)
  await keep(screen, 'console')
  // Typed keys reach the guest: its screen, unchanged before, changes afterwards.
  let before = await pictureOf(screen)
  const changed = async () => differences(before, await pictureOf(screen))
  await expect(async () => {
    before = await pictureOf(screen)
    await screen.waitForTimeout(REST_MS)
    expect(await changed()).toBeLessThanOrEqual(CURSOR_PIXELS)
  }).toPass(PATIENT)
  await screen.locator('canvas').click()
  await screen.keyboard.type('uname -a\n')
  await expect.poll(changed, PATIENT).toBeGreaterThan(CURSOR_PIXELS)
  await keep(screen, 'console-typed')
  await screen.close()
  await page.keyboard.press('Escape')

  const press = powerOf(page, SERVER)
  await page.goto('/my-instances')
  // A guest that was just started reacts to requests only once it is up, and the page says so.
  const ask = (act: string, words: string) =>
    expect(async () => {
      await page.reload()
      await press(act, '')
      await expectToast(page, words, '', { timeout: 120_000 })
    }).toPass({ timeout: 600_000 })
  await ask('Shutdown', 'Instance shutdown successfully')
  await expect.poll(() => statusOf(pve, vmid), PATIENT).toBe('stopped')
  await press('Start', 'Instance started successfully')
  await ask('Restart', 'Instance restarted successfully')
  await press('Stop', 'Instance stopped successfully')
  await expect.poll(() => statusOf(pve, vmid), PATIENT).toBe('stopped')
})

test('its page changes its hostname, its password and its system', async ({
  page,
  pve,
  people,
}) => {
  if (pve.buyer) await enter(page, pve.buyer)
  const vmid = await vmIdOf(people, SERVER)
  await page.goto('/my-instances')
  await powerOf(page, SERVER)('Start', 'Instance started successfully')
  await cardOf(page, SERVER).getByRole('link', { name: SERVER, exact: true }).click()
  const asks = (button: RegExp) => page.getByRole('button', { name: button }).click()

  await asks(/^Change the hostname/)
  const hostname = `mx-${RUN}`
  await page.getByRole('textbox', { name: 'Hostname' }).fill(hostname)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await configOf(pve, vmid)).name, PATIENT).toContain(hostname)

  const { pathname } = new URL(page.url())
  // A guest that was just started ignores the restart, and keeps its password.
  await expect(async () => {
    await page.goto(pathname)
    const { uptime: before = 0 } = await stateOf(pve, vmid)
    await asks(/^New password/)
    await page.getByRole('button', { name: 'Set a new password' }).click()
    await page.getByRole('button', { name: 'Activity', exact: true }).click()
    await expect(page.getByText('New password set')).toBeVisible({ timeout: 150_000 })
    const { status, uptime } = await stateOf(pve, vmid)
    expect(status).toBe('running')
    expect(uptime).toBeLessThan(before)
  }).toPass({ timeout: 900_000 })

  const { net0, cipassword } = await configOf(pve, vmid)
  expect(cipassword).toBeTruthy()
  const key = { name: 'laptop', publicKey: PUBLIC_KEYS.ed25519.publicKey }
  await page.request.post('/api/account/ssh-keys', { data: key })
  await page.goto(pathname)
  await asks(/^Reinstall /)
  const dialog = page.getByRole('dialog', { name: 'Reinstall' })
  await dialog.getByRole('checkbox', { name: /laptop/ }).check()
  await dialog.getByRole('textbox').fill(String(vmid))
  await dialog.getByRole('button', { name: 'Reinstall' }).click()
  await page.getByRole('button', { name: 'Activity', exact: true }).click()
  await expect(page.getByText('New system installed')).toBeVisible({ timeout: 600_000 })
  await expect.poll(() => disksOf(pve, vmid), PATIENT).toHaveLength(1)
  const after = await configOf(pve, vmid)
  expect(after.net0).toBe(net0)
  expect(after.sshkeys).toContain(encodeURIComponent(key.publicKey.split(' ')[1] ?? ''))
  expect(after.cipassword).toBeUndefined()
  await keep(page, 'reinstalled')
})

/** A screenshot beside the other results of this run. */
const keep = (page: Page, name: string) =>
  page.screenshot({ path: test.info().outputPath(`${name}.png`) })

/** Presses a power button of one server, once it is enabled, and waits for these words. */
const powerOf = (page: Page, name: string) => async (act: string, words: string) => {
  const button = cardOf(page, name).getByRole('button', { name: `${act} ${name}`, exact: true })
  await expect(button).toBeEnabled(PATIENT)
  await button.click()
  if (act === 'Stop') await confirmStop(page, name)
  if (words) await expectToast(page, words, '', PATIENT)
}

test('the page reports a guest that does not react, and Stop does not wait for it', async ({
  page,
  pve,
  people,
}) => {
  test.skip(!PVE_DEAF_TEMPLATE, 'PVE_DEAF_TEMPLATE names no template that never shuts down')
  if (pve.buyer) await enter(page, pve.buyer)
  const card = await take(page, SILENT)
  await expect(wayIn(card)).toBeVisible(PATIENT)
  const vmid = await vmIdOf(people, SILENT)
  const press = powerOf(page, SILENT)
  await page.goto('/my-instances')
  await press('Shutdown', 'Failed to shutdown instance')
  await expect(toastOf(page)).toContainText('The operating system did not react.')
  await keep(page, 'deaf')
  expect(await statusOf(pve, vmid)).toBe('running')

  // The cluster still waits for the guest when the hard stop comes.
  for (const act of ['Shutdown', 'Restart']) {
    await press(act, '')
    // Both actions end with the machine off, so either may be the last to report.
    await press('Stop', '')
    await expect.poll(() => statusOf(pve, vmid), PATIENT).toBe('stopped')
    await page.waitForTimeout(REST_MS)
    expect(await statusOf(pve, vmid)).toBe('stopped')
    if (act === 'Shutdown') await press('Start', 'Instance started successfully')
  }
})

test('ended servers are gone from the cluster, and their ids are free', async ({
  page,
  pve,
  people,
  elsewhere,
}) => {
  if (pve.buyer) await enter(page, pve.buyer)
  const office = await elsewhere()
  await enter(office, admin)
  for (const name of PVE_DEAF_TEMPLATE ? [SERVER, SILENT] : [SERVER]) {
    const vmid = await vmIdOf(people, name)
    await page.goto('/client-dashboard')
    await page.getByRole('button', { name: `End server ${name}` }).click()
    const question = page.getByRole('dialog', { name: 'End server' })
    await question.getByRole('textbox').fill(String(vmid))
    await question.getByRole('button', { name: 'End server' }).click()
    await expectToast(page, 'Server ended', '', PATIENT)

    await office.goto('/cancelled-instances')
    await office.getByRole('button', { name: `More for ${name}` }).click()
    await office.getByRole('menuitem', { name: 'Delete VM now' }).click()
    const sure = office.getByRole('alertdialog', { name: `Delete VM ${vmid} now?` })
    await sure.getByRole('textbox').fill(String(vmid))
    await sure.getByRole('button', { name: 'Delete VM' }).click()
    await expect.poll(() => find(pve, vmid), PATIENT).toBeUndefined()
    await expect.poll(() => pve.client.cluster.isFree(vmid), PATIENT).toBe(true)
  }
})
