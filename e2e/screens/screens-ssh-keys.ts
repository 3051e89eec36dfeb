import { expect, type Page } from '@playwright/test'
import type { SshKey } from '#shared/api/people/ssh-keys.ts'
import { PUBLIC_KEYS } from '../../src/shared/rules/ssh/testing/public-keys.ts'
import { pressAndAsk, pressAndSee, type Screen } from './answers/screen-acts.ts'

const PATH = '/settings?tab=ssh-keys'

const sshKey = (id: number, known: (typeof PUBLIC_KEYS)['rsa'], own: Partial<SshKey>): SshKey => ({
  id,
  name: 'Office',
  type: known.publicKey.split(' ')[0] ?? '',
  ...known,
  createdAt: new Date(Date.now() - id * 86_400_000).toISOString(),
  servers: 0,
  ...own,
})

const RING = {
  '**/api/account/ssh-keys': [
    sshKey(3, PUBLIC_KEYS.ed25519, { name: 'Work laptop', servers: 3 }),
    sshKey(2, PUBLIC_KEYS.rsa, {
      name: 'robin@the-name-of-a-machine-as-long-as-somebody-could-make-it',
      servers: 1,
    }),
    sshKey(1, PUBLIC_KEYS.securityKeyEcdsa, {}),
  ],
}

async function pastePrivateKey(page: Page): Promise<void> {
  await pressAndAsk('Add key')(page)
  await page.getByLabel('Public key').fill('-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXkt')
  await expect(page.getByText('This is a private key.')).toBeVisible()
}

async function openMake(page: Page): Promise<void> {
  await pressAndAsk('Add key')(page)
  await pressAndSee('Make one in the browser', 'Only the public half')(page)
}

async function makeKey(page: Page): Promise<void> {
  await openMake(page)
  await page.getByLabel('Name').fill('Work laptop')
  await pressAndSee('Make key', 'never sent')(page)
}

/** Screens of a client's ring of SSH keys. */
export const SSH_KEY_SCREENS: readonly Screen[] = [
  { role: 'client', name: 'ssh-keys-none', path: PATH },
  { role: 'client', name: 'ssh-keys', path: PATH, answers: RING },
  { role: 'client', name: 'ssh-keys-paste', path: PATH, prepare: pastePrivateKey },
  { role: 'client', name: 'ssh-keys-make', path: PATH, prepare: openMake },
  { role: 'client', name: 'ssh-keys-made', path: PATH, prepare: makeKey },
  {
    role: 'client',
    name: 'ssh-keys-remove',
    path: PATH,
    answers: RING,
    prepare: pressAndAsk('Remove Work laptop'),
  },
]
