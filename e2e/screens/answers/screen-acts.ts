import { expect, type Page } from '@playwright/test'
import { chooseInRow, expectDialog, expectToast, rowOf } from '../../acts/looking.ts'
import type { Answers, Trouble } from '../../acts/network.ts'
import { CROWD, someDevice } from '../../acts/people.ts'

/** `customer`: a client with servers. */
export type Role = 'visitor' | 'client' | 'customer' | 'admin'
export type Screen = {
  role: Role
  name: string
  path: string
  /** Brings the page into the state to show, such as an open dialog. */
  prepare?: (page: Page) => Promise<void>
  /** Shows servers of a client, which are created when first needed. */
  hasServers?: boolean
  /** Exists on a phone only. */
  isNarrow?: boolean
  /** Changes the signed-in user: must not use a shared session. */
  hasOwnSession?: boolean
  /** Hundreds of rows: for screenshots only, because they take a while to create. */
  isCrowded?: boolean
  /** What the network does to this page. */
  trouble?: Trouble
  /** States that the demo does not reach: these replace the server's answers. */
  answers?: Answers
}

export const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) =>
  `${firstName} ${lastName}`
export const CLIENT = nameOf(CROWD.client)

const press = (name: string | RegExp) => async (page: Page) =>
  await page.getByRole('button', { name }).first().click()

export const pressAndSee = (name: string | RegExp, text: string) => async (page: Page) => {
  await press(name)(page)
  await expect(page.getByText(text).first()).toBeVisible()
}

export const pressAndAsk = (name: string | RegExp) => async (page: Page) => {
  await press(name)(page)
  await expectDialog(page)
}

export const choose = (row: string | RegExp, item: string) => async (page: Page) => {
  await press(row)(page)
  await page.getByRole('menuitem', { name: item }).click()
  await expectDialog(page)
}

export const openPalette = (text: string) => async (page: Page) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to, find or do' }).fill(text)
  await expect(page.getByRole('option').first()).toBeVisible()
}

export const openHelp = async (page: Page) => {
  await page.keyboard.press('?')
  await expectDialog(page, 'Keyboard shortcuts')
}

export const expectRefreshFailed = async (page: Page) => {
  await press('Refresh')(page)
  await expect(page.getByText('Could not refresh.').first()).toBeVisible()
}

/** Opens the dialog of an entry in the row menu of this account. */
export const ask = (item: string, who: string) => async (page: Page) => {
  await chooseInRow(page, who, item)
  await expect(page.getByRole('alertdialog')).toBeVisible()
}

export const openMenuOf = (who: string) => async (page: Page) => {
  await rowOf(page, who)
    .getByRole('button', { name: /^More for/ })
    .click()
  await expect(page.getByRole('menu')).toBeVisible()
}

export async function createAccount(page: Page): Promise<void> {
  // The browsers of all shots look alike, and a device has one account.
  await page.evaluate((device) => localStorage.setItem('deviceMacAddress', device), someDevice())
  await page.getByRole('checkbox').check()
  await pressAndSee('Create Account', 'Save your username and password now')(page)
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible()
}

export async function resetPassword(page: Page): Promise<void> {
  await ask('Reset Password', CLIENT)(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset Password' }).click()
  await expect(page.getByRole('dialog', { name: 'New password' })).toBeVisible()
  await expectToast(page, 'Password reset successfully')
}

export async function askToRelease(page: Page): Promise<void> {
  const reply = await page.request.get('/api/admin/users')
  const users = (await reply.json()) as { username: string; hasDevice: boolean }[]
  const { username = '' } = users.find(({ hasDevice }) => hasDevice) ?? {}
  await ask('Release Device', username)(page)
}

export async function simulate(page: Page): Promise<void> {
  await ask('Simulate', CLIENT)(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Simulate' }).click()
  await expect(page.getByRole('complementary', { name: 'Simulation' })).toBeVisible()
}

export async function openConsole(page: Page): Promise<void> {
  const reply = await page.request.get('/api/instances')
  const machines = (await reply.json()) as { id: number; name: string }[]
  const { id } = machines.find(({ name }) => name === 'db-primary') ?? {}
  await page.goto(`/console/${id}`)
  await expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('db-primary')
}

export function fail(call: string): Trouble {
  return { calls: `*/api/${call}*`, kind: 'fail' }
}

export function hang(call: string): Trouble {
  return { calls: `**/api/${call}*`, kind: 'hang' }
}

export function select(name: RegExp) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('treeitem', { name }).first().click()
    await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
  }
}
