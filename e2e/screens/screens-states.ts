import { expect, type Page } from '@playwright/test'
import { someDevice } from '../acts/people.ts'
import {
  MONERO_CONFIRMING,
  MONERO_LATE,
  MONERO_SHORT,
  MONERO_WAITING,
} from './answers/monero-answers.ts'
import {
  ASKED_FOR_MORE,
  BY_LIGHTNING,
  CANDIDATES,
  DETAILS,
  GIVEN_BY_HAND,
  HALF_PAID,
  MINE_BY_HAND,
  ORDERS,
} from './answers/order-answers.ts'
import { POOLS } from './answers/pool-answers.ts'
import { ANSWERS, TAKEN_BACK } from './answers/receipt-answers.ts'
import { choose, pressAndAsk, pressAndSee, type Screen } from './answers/screen-acts.ts'
import {
  ATTENTION,
  endOf,
  MISSING_RIGHTS,
  suspended,
  WITH_MONEY,
} from './answers/screen-answers.ts'

async function openEnd(page: Page): Promise<void> {
  await choose(/^More for Harbour/, 'End server')(page)
  await expect(page.getByLabel('Type 10004 to confirm')).toBeVisible()
}

async function chooseShortVm(page: Page): Promise<void> {
  await pressAndAsk(/^Provision order/)(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Node').selectOption({ index: 1 })
  await dialog.getByRole('switch', { name: /^Also offer VMs/ }).click()
  await dialog.getByLabel('VM ID').selectOption('104')
  await expect(dialog).toContainText('smaller than what was sold')
}

async function reveal(page: Page): Promise<void> {
  await choose(/^More for Harbour/, 'Reveal login')(page)
  await pressAndSee('Reveal', 'Password')(page)
}

/** A second account for one device is refused. */
async function registerTwice(page: Page): Promise<void> {
  // The account of another screen is shown until it is saved.
  await page.evaluate(() => sessionStorage.clear())
  await page.reload()
  const deviceMacAddress = someDevice()
  await page.evaluate(
    (device) => localStorage.setItem('deviceMacAddress', device),
    deviceMacAddress,
  )
  await page.request.post('/api/auth/register', {
    data: { agreedToTerms: true, deviceMacAddress },
  })
  await page.getByRole('checkbox').check()
  await pressAndSee('Create Account', 'What you can do:')(page)
}

async function signInWrongly(page: Page): Promise<void> {
  await page.getByLabel('Username or email').fill('1234567')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await pressAndSee('Sign In', 'Invalid username/email or password.')(page)
}

const ATTENTION_SCREENS: readonly Screen[] = (
  [
    ['attention', undefined],
    ['attention-give-up', /^Give up: /],
    ['attention-delete', 'Delete servers'],
    ['attention-clock', 'Confirm the time'],
  ] as const
).map(([name, button]) => ({
  role: 'admin',
  name,
  path: '/admin-dashboard',
  answers: ATTENTION,
  ...(button && { prepare: pressAndAsk(button) }),
}))

/** States that need a certain history, or that the demo does not reach by itself. */
export const STATE_SCREENS: readonly Screen[] = [
  ...ATTENTION_SCREENS,
  { role: 'visitor', name: 'login-failed', path: '/login', prepare: signInWrongly },
  { role: 'visitor', name: 'register-refused', path: '/register', prepare: registerTwice },
  {
    role: 'admin',
    name: 'cluster-rights',
    path: '/clusters?tab=permissions',
    answers: { '**/api/clusters/*/permissions': MISSING_RIGHTS },
    prepare: pressAndAsk('Settings of Demo cluster'),
  },
  {
    role: 'admin',
    name: 'cluster-new-vms',
    path: '/clusters?tab=new-vms',
    prepare: pressAndAsk('Settings of Demo cluster'),
  },
  { role: 'admin', name: 'pools-states', path: '/pools', answers: POOLS },
  { role: 'admin', name: 'pools-none', path: '/pools', answers: { '**/api/pools': [] } },
  { role: 'admin', name: 'orders-all', path: '/orders', answers: { '**/api/orders': ORDERS } },
  {
    role: 'admin',
    name: 'order-refunded',
    path: '/orders',
    answers: { '**/api/orders': ORDERS, '**/api/orders/9001': DETAILS },
    prepare: pressAndAsk(/^Details of order 9001/),
  },
  {
    role: 'admin',
    name: 'order-chosen',
    path: '/orders',
    answers: { '**/api/orders': ORDERS, '**/api/orders/9001': GIVEN_BY_HAND },
    prepare: pressAndAsk(/^Details of order 9001/),
  },
  {
    role: 'admin',
    name: 'order-provision',
    path: '/orders',
    answers: {
      '**/api/orders': ORDERS,
      '**/api/orders/9001': ASKED_FOR_MORE,
      '**/api/orders/9001/candidates*': CANDIDATES,
    },
    prepare: chooseShortVm,
  },
  {
    role: 'admin',
    name: 'order-provision-asked',
    path: '/orders',
    answers: { '**/api/orders': ORDERS, '**/api/orders/9001': ASKED_FOR_MORE },
    prepare: pressAndAsk(/^Provision order/),
  },
  {
    role: 'admin',
    name: 'order-mark-paid',
    path: '/orders',
    answers: { '**/api/orders': ORDERS },
    prepare: pressAndAsk(/^Mark .*paid/),
  },
  {
    role: 'admin',
    name: 'order-cancel',
    path: '/orders',
    answers: { '**/api/orders': ORDERS, '**/api/orders/9002': DETAILS },
    prepare: choose(/^More for order 9002/, 'Cancel order'),
  },
  {
    role: 'admin',
    name: 'end-refundable',
    path: '/tokens?q=Harbour',
    hasServers: true,
    answers: { '**/api/instances/*/end': endOf({}) },
    prepare: openEnd,
  },
  {
    role: 'admin',
    name: 'end-coming',
    path: '/tokens?q=Harbour',
    hasServers: true,
    answers: {
      '**/api/instances/*/end': endOf({ isComing: true, keptUntil: null, paidUntil: null }),
    },
    prepare: openEnd,
  },
  {
    role: 'admin',
    name: 'tokens-revealed',
    path: '/tokens?q=Harbour',
    hasServers: true,
    prepare: reveal,
  },
  {
    role: 'admin',
    name: 'instance-stop',
    path: '/instances?q=Harbour',
    hasServers: true,
    prepare: pressAndAsk(/^Stop Harbour/),
  },
  {
    role: 'admin',
    name: 'instance-resume',
    path: '/instances?q=Harbour',
    hasServers: true,
    answers: { '**/api/instances': suspended },
    prepare: pressAndAsk(/^Resume Harbour/),
  },
  {
    role: 'customer',
    name: 'dashboard-suspended',
    path: '/client-dashboard',
    answers: { '**/api/client/tokens': suspended },
  },
  {
    role: 'customer',
    name: 'my-instances-suspended',
    path: '/my-instances',
    answers: { '**/api/client/instances': suspended },
  },
  { role: 'client', name: 'settings-data', path: '/settings?tab=data' },
  {
    role: 'client',
    name: 'settings-data-money',
    path: '/settings?tab=data',
    answers: { '**/api/account/deletion': WITH_MONEY },
    prepare: async (page) => {
      await page.getByLabel('Your password').fill('not mine')
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await expect(page.getByRole('main').getByRole('alert').last()).not.toBeEmpty()
    },
  },
  {
    role: 'client',
    name: 'order-half-paid',
    path: '/billing/orders/9001',
    answers: { '**/api/client/orders/9001': HALF_PAID },
  },
  {
    role: 'client',
    name: 'order-refunded',
    path: '/billing/orders/9001',
    answers: { '**/api/client/orders/9001': TAKEN_BACK },
  },
  {
    role: 'client',
    name: 'order-given-by-hand',
    path: '/billing/orders/9001',
    answers: { '**/api/client/orders/9001': MINE_BY_HAND },
  },
  ...[
    ['making', 'You pay when your server answers.'] as const,
    ['answered', 'Answering: SSH'] as const,
    ['silent', 'Your money is back.'] as const,
  ].map(
    ([state, text]): Screen => ({
      role: 'client',
      name: `order-${state}`,
      path: '/billing/orders/9001',
      answers: { '**/api/client/orders/9001': ANSWERS[state] },
      prepare: (page) => expect(page.getByText(text)).toBeVisible(),
    }),
  ),
  {
    role: 'client',
    name: 'order-lightning',
    path: '/billing/orders/9001',
    answers: { '**/api/client/orders/9001': BY_LIGHTNING },
    prepare: (page) =>
      expect(page.getByRole('img', { name: /Lightning$/ })).toBeVisible({ timeout: 30_000 }),
  },
  ...[
    ['waiting', MONERO_WAITING] as const,
    ['short', MONERO_SHORT] as const,
    ['confirming', MONERO_CONFIRMING] as const,
    ['late', MONERO_LATE] as const,
  ].map(
    ([state, answer]): Screen => ({
      role: 'client',
      name: `order-monero-${state}`,
      path: '/billing/orders/9001',
      answers: { '**/api/client/orders/9001': answer },
    }),
  ),
]
