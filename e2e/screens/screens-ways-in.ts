import type { Page } from '@playwright/test'
import type { ApiKey } from '#shared/api/people/api-keys.ts'
import type { Delivery, Webhook } from '#shared/api/people/own-webhooks.ts'
import type { Passkey } from '#shared/api/people/passkeys.ts'
import { pressAndAsk, type Screen } from './answers/screen-acts.ts'

const KEYS = '/settings?tab=api-keys'

const apiKey = (id: number, own: Partial<ApiKey>): ApiKey => ({
  id,
  name: 'Backup script',
  hint: 'hbx_8Qz1',
  scopes: ['servers:read'],
  expiresAt: null,
  isExpired: false,
  cidrs: [],
  instanceIds: null,
  dailyLimit: null,
  spentToday: '0.00',
  lastUsedOn: null,
  createdAt: new Date(Date.now() - id * 86_400_000).toISOString(),
  ...own,
})

const SEVERAL = {
  '**/api/account/api-keys': [
    apiKey(1, {}),
    apiKey(2, {
      name: 'What buys servers for the tests of a project with a long name',
      scopes: ['servers:read', 'servers:power', 'billing:read', 'billing:spend'],
      cidrs: ['203.0.113.0/24', '2001:db8::/32'],
      dailyLimit: '20.00',
      spentToday: '15.00',
      lastUsedOn: '2026-11-16',
    }),
    apiKey(3, { name: 'Old', expiresAt: '2026-10-31T00:00:00Z', isExpired: true }),
  ],
}

const HOOKS = '/settings?tab=webhooks'

const webhook = (id: number, own: Partial<Webhook>): Webhook => ({
  id,
  url: 'https://example.com/hook',
  events: ['server.ready', 'server.ending-soon', 'backup.failed'],
  isOn: true,
  offReason: null,
  failingSince: null,
  oldSecretUntil: null,
  createdAt: new Date(Date.now() - id * 86_400_000).toISOString(),
  ...own,
})

const delivery = (id: number, own: Partial<Delivery>): Delivery => ({
  id,
  messageId: `msg_${id}`,
  type: 'server.ready',
  state: 'delivered',
  tries: 1,
  nextAt: null,
  lastAt: new Date(Date.now() - id * 3_600_000).toISOString(),
  lastStatus: 204,
  lastAnswer: '',
  payload: '{"type":"server.ready","timestamp":"2026-11-17T12:00:00.000Z","data":{"serverId":7}}',
  createdAt: new Date(Date.now() - id * 3_600_000).toISOString(),
  ...own,
})

const HOOKED = {
  '**/api/account/webhooks': [
    webhook(1, {}),
    webhook(2, {
      url: 'https://automation.a-project-with-a-long-name.example.org/hooks/9f8e7d6c5b4a39281706f5e4d3c2b1a0',
      failingSince: '2026-11-16T00:00:00Z',
    }),
    webhook(3, { url: 'https://old.example.net/', isOn: false, offReason: 'gone' }),
  ],
  '**/api/account/webhooks/1/deliveries': [
    delivery(3, { type: 'test', state: 'waiting', tries: 0, lastAt: null, lastStatus: null }),
    delivery(4, {
      type: 'backup.failed',
      state: 'waiting',
      tries: 3,
      lastStatus: 503,
      nextAt: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    delivery(5, {}),
    delivery(6, { state: 'failed', tries: 8, lastStatus: null, lastAnswer: 'It did not answer.' }),
  ],
}

const SECURITY = '/settings?tab=security'

const passkey = (id: number, own: Partial<Passkey>): Passkey => ({
  id,
  name: 'Laptop',
  address: 'localhost',
  lastUsedOn: null,
  createdAt: new Date(Date.now() - id * 86_400_000).toISOString(),
  ...own,
})

const APP_ON = {
  '**/api/account/totp': {
    isOn: true,
    since: '2026-11-01T12:00:00.000Z',
    codesLeft: 9,
    isRequired: false,
  },
}

const PASSKEYS = {
  ...APP_ON,
  '**/api/account/passkeys': [
    passkey(1, { lastUsedOn: '2026-11-16' }),
    passkey(2, { name: 'The security key on the ring with all the other keys of the house' }),
    passkey(3, { name: 'Phone', address: 'shop.example' }),
  ],
}

async function openLog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log of example.com' }).click()
  await page.getByRole('dialog').getByText('backup.failed').waitFor()
}

async function chooseSpending(page: Page): Promise<void> {
  await pressAndAsk('Make key')(page)
  await page.getByRole('checkbox', { name: /^Buy and renew/ }).check()
}

/** Screens of recovery and of the keys of programs. */
export const WAYS_IN_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'api-keys-none', path: KEYS },
  { role: 'client', name: 'api-keys', path: KEYS, answers: SEVERAL },
  { role: 'client', name: 'api-keys-make', path: KEYS, prepare: chooseSpending },
  { role: 'client', name: 'webhooks-none', path: HOOKS },
  { role: 'client', name: 'webhooks', path: HOOKS, answers: HOOKED },
  { role: 'client', name: 'webhooks-log', path: HOOKS, answers: HOOKED, prepare: openLog },
  { role: 'client', name: 'webhooks-make', path: HOOKS, prepare: pressAndAsk('Make webhook') },
  { role: 'client', name: 'passkeys-none', path: SECURITY, answers: APP_ON },
  { role: 'client', name: 'passkeys', path: SECURITY, answers: PASSKEYS },
  {
    role: 'client',
    name: 'passkeys-add',
    path: SECURITY,
    answers: APP_ON,
    prepare: pressAndAsk('Add passkey'),
  },
  {
    role: 'client',
    name: 'settings-access',
    path: '/settings?tab=access',
    answers: { ...SEVERAL, ...HOOKED, ...PASSKEYS },
  },
  { role: 'client', name: 'my-vps-webhook-off', path: '/client-dashboard', answers: HOOKED },
  { role: 'admin', name: 'dashboard-webhook-off', path: '/', answers: HOOKED },
  { role: 'client', name: 'settings-recovery', path: '/settings?tab=recovery' },
]
