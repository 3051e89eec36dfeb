import { expect, type Page } from '@playwright/test'
import type { ServerEvent } from '#shared/api/overview/servers.ts'
import type { Answers } from '../acts/network.ts'
import { pressAndAsk, pressAndSee, type Screen } from './answers/screen-acts.ts'
import {
  answers,
  HOUR_MS,
  inMs,
  LONG_LABEL,
  OPERATOR,
  PATH,
  REASON,
  SEEN,
  STATES,
} from './answers/server-states.ts'

const event = (id: number, given: Partial<ServerEvent>): ServerEvent => ({
  id,
  at: inMs(-(40 - id) * HOUR_MS),
  action: 'instance.start',
  by: 'you',
  details: {},
  ...given,
})

const ACTIVITY: Answers = {
  ...answers(),
  '**/api/instances/7/activity?*': [
    event(9, { action: 'instance.suspend', by: 'operator', details: { reason: REASON } }),
    event(8, { action: 'instance.console', by: 'operator' }),
    event(7, { action: 'instance.rename', details: { changed: ['label', 'hostname'] } }),
    event(6, { action: 'instance.restart' }),
    event(5, { action: 'token.assign', by: 'system' }),
    event(4, { action: 'token.purchase' }),
  ],
}

const CONFIG: Answers = {
  ...answers({ operator: OPERATOR }),
  '**/api/instances/7/proxmox-config': [
    { key: 'boot', value: 'order=scsi0' },
    { key: 'cipassword', value: '(hidden)' },
    { key: 'ciuser', value: 'debian' },
    { key: 'description', value: 'hushbox:5c1c6f0e-9a5e-4c5e-8b37-1f3b1b2f9d11:7' },
    {
      key: 'net0',
      value: 'virtio=BC:24:11:2E:F0:07,bridge=vmbr0,firewall=1',
    },
    { key: 'scsi0', value: 'ceph-vm:vm-10004-disk-0,discard=on,iothread=1,size=80G' },
  ],
}

async function typeBadHostname(page: Page): Promise<void> {
  await pressAndAsk(/^Change the hostname/)(page)
  await page.getByRole('textbox', { name: 'Hostname' }).fill('not_a_hostname')
  await expect(page.getByText('A hostname has 1 to 63')).toBeVisible()
}

/** The page of a server in every state, for its client and for operators. */
const reinstallable = () => ({
  ...answers(),
  '**/api/instances/7/reinstall': {
    ...{ systems: ['Ubuntu 22.04', 'Debian 12', 'Rocky Linux 9'], osType: 'Debian 12' },
    ...{ sshKeyIds: [], confirm: LONG_LABEL, userData: { refusal: null } },
    snapshot: { refusal: null, days: 7 },
  },
})

export const SERVER_SCREENS: readonly Screen[] = [
  ...Object.entries(STATES).map(
    ([name, values]): Screen => ({
      role: 'client',
      name: `server-${name}`,
      path: PATH,
      answers: answers(values),
    }),
  ),
  ...Object.entries(SEEN).map(
    ([name, [hostKeys, text]]): Screen => ({
      role: 'client',
      name: `server-host-keys${name}`,
      path: PATH,
      answers: answers({ hostKeys }),
      prepare: (page) => expect(page.getByText(text)).toBeVisible(),
    }),
  ),
  { role: 'client', name: 'server-none', path: '/servers/999999' },
  { role: 'client', name: 'server-activity', path: `${PATH}?tab=activity`, answers: ACTIVITY },
  {
    role: 'client',
    name: 'server-label',
    path: PATH,
    answers: answers(),
    prepare: pressAndAsk(/^Rename /),
  },
  {
    role: 'client',
    name: 'server-hostname',
    path: PATH,
    answers: answers(),
    prepare: typeBadHostname,
  },
  {
    role: 'client',
    name: 'server-reveal',
    path: PATH,
    answers: answers(),
    prepare: pressAndSee(/^Reveal the login/, 'Reveal login'),
  },
  {
    role: 'client',
    name: 'server-password',
    path: PATH,
    answers: answers(),
    prepare: pressAndAsk(/^New password/),
  },
  {
    role: 'client',
    name: 'server-reinstall',
    path: PATH,
    answers: reinstallable(),
    prepare: pressAndAsk(/^Reinstall /),
  },
  {
    role: 'client',
    name: 'server-user-data',
    path: PATH,
    answers: reinstallable(),
    prepare: async (page) => {
      await pressAndAsk(/^Reinstall /)(page)
      await page.getByText('Start-up script').click()
      await page.getByRole('button', { name: 'Tor relay' }).click()
    },
  },
  {
    role: 'admin',
    name: 'server-reinstall-of-client',
    path: PATH,
    answers: {
      ...reinstallable(),
      ...answers({
        operator: OPERATOR,
        sshKeys: [{ fingerprint: 'SHA256:no-longer-among-the-keys-of-its-client', name: null }],
      }),
    },
    prepare: pressAndAsk(/^Reinstall /),
  },
  { role: 'admin', name: 'server', path: PATH, answers: answers({ operator: OPERATOR }) },
  {
    role: 'admin',
    name: 'server-of-nobody',
    path: PATH,
    answers: answers({
      term: null,
      tokenId: null,
      hasPassword: false,
      operator: { ...OPERATOR, client: null, orderId: null, notes: null },
    }),
  },
  { role: 'admin', name: 'server-proxmox', path: `${PATH}?tab=proxmox`, answers: CONFIG },
  {
    role: 'admin',
    name: 'server-notes',
    path: PATH,
    answers: answers({ operator: OPERATOR }),
    prepare: pressAndAsk(/^Change the notes/),
  },
]
