import { expect, type Page } from '@playwright/test'
import { chooseInRow, expectToast, rowOf } from './looking.ts'
import { CROWD, someDevice } from './people.ts'

export type Role = 'visitor' | 'client' | 'admin'
export type Screen = {
  role: Role
  name: string
  path: string
  /** Brings the page into the state worth seeing, such as an open dialog. */
  prepare?: (page: Page) => Promise<void>
  /** What exists on a phone only. */
  isNarrow?: boolean
}

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) =>
  `${firstName} ${lastName}`
const CLIENT = nameOf(CROWD.client)

const press = (name: string | RegExp) => async (page: Page) =>
  await page.getByRole('button', { name }).first().click()

const pressAndSee = (name: string | RegExp, text: string) => async (page: Page) => {
  await press(name)(page)
  await expect(page.getByText(text).first()).toBeVisible()
}

/** The question that a choice in the row menu of somebody asks. */
const ask = (item: string, who: string) => async (page: Page) => {
  await chooseInRow(page, who, item)
  await expect(page.getByRole('alertdialog')).toBeVisible()
}

const openMenuOf = (who: string) => async (page: Page) => {
  await rowOf(page, who)
    .getByRole('button', { name: /^More for/ })
    .click()
  await expect(page.getByRole('menu')).toBeVisible()
}

/** Every screen there is, for the screenshots and for axe. A new page gets a line here. */
export const SCREENS: Screen[] = [
  { role: 'visitor', name: 'landing', path: '/' },
  { role: 'visitor', name: 'pricing', path: '/pricing' },
  { role: 'visitor', name: 'login', path: '/login' },
  {
    role: 'visitor',
    name: 'login-missing',
    path: '/login',
    prepare: pressAndSee('Sign In', 'Missing Credentials'),
  },
  { role: 'visitor', name: 'login-ended', path: '/login?ended=1' },
  { role: 'visitor', name: 'register', path: '/register' },
  {
    role: 'visitor',
    name: 'register-terms',
    path: '/register',
    prepare: pressAndSee('Create Account', 'You must agree to the terms of service to continue.'),
  },
  { role: 'visitor', name: 'register-saved', path: '/register?plan=trial', prepare: createAccount },
  { role: 'visitor', name: 'privacy', path: '/privacy' },
  { role: 'visitor', name: 'terms', path: '/terms' },

  { role: 'client', name: 'dashboard', path: '/client-dashboard' },
  { role: 'client', name: 'my-tokens', path: '/my-tokens' },
  { role: 'client', name: 'create-instance', path: '/create-instance' },
  { role: 'client', name: 'my-instances', path: '/my-instances' },
  { role: 'client', name: 'menu', path: '/', isNarrow: true, prepare: press('Open the menu') },
  { role: 'client', name: 'pricing', path: '/pricing' },
  {
    role: 'client',
    name: 'pricing-order',
    path: '/pricing',
    prepare: press('Order Trial'),
  },
  { role: 'client', name: 'billing', path: '/billing' },
  { role: 'client', name: 'order-not-found', path: '/billing/orders/999999' },
  { role: 'client', name: 'settings', path: '/settings' },
  { role: 'client', name: 'settings-security', path: '/settings?tab=security' },
  {
    role: 'client',
    name: 'settings-security-errors',
    path: '/settings?tab=security',
    prepare: pressAndSee('Change password', 'Please enter your current password'),
  },
  {
    role: 'client',
    name: 'settings-sign-out',
    path: '/settings?tab=security',
    prepare: pressAndSee('Sign out everywhere', 'Sign out everywhere?'),
  },
  { role: 'client', name: 'settings-activity', path: '/settings?tab=activity' },
  { role: 'client', name: 'settings-appearance', path: '/settings?tab=appearance' },
  { role: 'client', name: 'profile', path: '/profile' },
  {
    role: 'client',
    name: 'changelog',
    path: '/profile',
    prepare: pressAndSee('Changelog', 'What is new, and since when.'),
  },

  { role: 'admin', name: 'dashboard', path: '/' },
  { role: 'admin', name: 'users', path: '/users' },
  { role: 'admin', name: 'users-none', path: '/users?q=nobody+is+called+this' },
  { role: 'admin', name: 'users-menu', path: '/users', prepare: openMenuOf(CLIENT) },
  {
    role: 'admin',
    name: 'users-menu-inactive',
    path: '/users',
    prepare: openMenuOf(nameOf(CROWD.inactive)),
  },
  {
    role: 'admin',
    name: 'users-edit',
    path: '/users',
    prepare: pressAndSee(`Edit ${CLIENT}`, 'Edit User'),
  },
  { role: 'admin', name: 'users-reset', path: '/users', prepare: ask('Reset Password', CLIENT) },
  { role: 'admin', name: 'users-new-password', path: '/users', prepare: resetPassword },
  { role: 'admin', name: 'users-simulate', path: '/users', prepare: ask('Simulate', CLIENT) },
  { role: 'admin', name: 'users-release', path: '/users', prepare: askToRelease },
  { role: 'admin', name: 'users-delete', path: '/users', prepare: ask('Delete', CLIENT) },
  { role: 'admin', name: 'simulation', path: '/users', prepare: simulate },
  { role: 'admin', name: 'create-user', path: '/create-user' },
  {
    role: 'admin',
    name: 'create-user-errors',
    path: '/create-user',
    prepare: pressAndSee('Create User', 'Please confirm your password'),
  },
  { role: 'admin', name: 'settings', path: '/settings' },
  { role: 'admin', name: 'audit', path: '/settings?tab=audit' },
  { role: 'admin', name: 'audit-none', path: '/settings?tab=audit&action=no-such-action' },
  { role: 'admin', name: 'operating-systems', path: '/settings?tab=systems' },
  { role: 'admin', name: 'admin-dashboard', path: '/admin-dashboard' },
  { role: 'admin', name: 'clusters', path: '/clusters' },
  {
    role: 'admin',
    name: 'clusters-add',
    path: '/clusters',
    prepare: pressAndSee('Add Cluster', 'Add Proxmox Cluster'),
  },
  { role: 'admin', name: 'nodes', path: '/nodes' },
  { role: 'admin', name: 'instances', path: '/instances' },
  {
    role: 'admin',
    name: 'instances-create',
    path: '/instances',
    prepare: press('Create Instance'),
  },
  { role: 'admin', name: 'proxmox-manager', path: '/proxmox-manager' },
  { role: 'admin', name: 'tokens', path: '/tokens' },
  { role: 'admin', name: 'tokens-create', path: '/tokens', prepare: press('Create Token') },
  { role: 'admin', name: 'cancelled-instances', path: '/cancelled-instances' },
  { role: 'admin', name: 'orders', path: '/orders' },
  { role: 'admin', name: 'payments', path: '/settings?tab=payments' },
  {
    role: 'admin',
    name: 'payments-add',
    path: '/settings?tab=payments',
    prepare: press('Add Billing Plan'),
  },
  { role: 'admin', name: 'packages', path: '/packages' },
  { role: 'admin', name: 'packages-add', path: '/packages', prepare: press(/^Add/) },
  { role: 'admin', name: 'not-found', path: '/no-such-page' },
  { role: 'admin', name: 'console', path: '/dashboard', prepare: openConsole },
  {
    role: 'admin',
    name: 'console-paste',
    path: '/dashboard',
    prepare: async (page) => {
      await openConsole(page)
      await pressAndSee('Paste', 'Keyboard of the server')(page)
    },
  },
]

async function openConsole(page: Page): Promise<void> {
  const reply = await page.request.get('/api/instances')
  const machines = (await reply.json()) as { id: number; name: string }[]
  const { id } = machines.find(({ name }) => name === 'db-primary') ?? {}
  await page.goto(`/console/${id}`)
  await expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('db-primary')
}

async function createAccount(page: Page): Promise<void> {
  // The browsers of all shots look alike, and a device has one account.
  await page.evaluate((device) => localStorage.setItem('deviceMacAddress', device), someDevice())
  await page.getByRole('checkbox').check()
  await pressAndSee('Create Account', 'Save your username and password now')(page)
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible()
}

async function resetPassword(page: Page): Promise<void> {
  await ask('Reset Password', CLIENT)(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset Password' }).click()
  await expect(page.getByRole('dialog', { name: 'New password' })).toBeVisible()
  await expectToast(page, 'Password reset successfully')
}

async function askToRelease(page: Page): Promise<void> {
  const reply = await page.request.get('/api/admin/users')
  const users = (await reply.json()) as { username: string; hasDevice: boolean }[]
  const { username = '' } = users.find(({ hasDevice }) => hasDevice) ?? {}
  await ask('Release Device', username)(page)
}

async function simulate(page: Page): Promise<void> {
  await ask('Simulate', CLIENT)(page)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Simulate' }).click()
  await expect(page.getByRole('complementary', { name: 'Simulation' })).toBeVisible()
}
