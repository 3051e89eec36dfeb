import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Download, Locator, Page } from '@playwright/test'
import { fingerprintOf } from '../../src/shared/rules/ssh/public-key.ts'
import { PUBLIC_KEYS } from '../../src/shared/rules/ssh/testing/public-keys.ts'
import { clipboardOf, expectDialog, expectToast } from '../acts/looking.ts'
import { admin, enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'

const { ed25519, rsa } = PUBLIC_KEYS

const keys = (page: Page): Locator => page.getByRole('tabpanel').getByRole('listitem')

async function openRing(page: Page): Promise<void> {
  await page.goto('/settings?tab=ssh-keys')
  await expect(page.getByText('No SSH keys yet')).toBeVisible()
}

async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Add key' }).click()
  await expectDialog(page, 'Add SSH key')
  return page.getByRole('dialog', { name: 'Add SSH key' })
}

test('a key is made in the browser: its file is saved, its public half added', async ({
  page,
  people,
}) => {
  await enter(page, await people.client())
  await openRing(page)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  const dialog = await openDialog(page)
  await dialog.getByRole('button', { name: 'Make one in the browser' }).click()
  await dialog.getByRole('button', { name: 'Make key' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription('Please name the key')

  await dialog.getByLabel('Name').fill('Work laptop')
  const saved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Make key' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe('id_ed25519_work_laptop')
  await expect(dialog.getByText('never sent')).toBeVisible()
  await expect(dialog.getByText(/^chmod 600 ~\/\.ssh\/id_ed25519_work_laptop$/)).toBeVisible()
  await expect(dialog.getByText(/^ssh -i ~\/\.ssh\/id_ed25519_work_laptop /)).toBeVisible()
  // Nothing is on the ring before it is added, and no stray key closes the dialog.
  await expect(keys(page)).toHaveCount(0)
  await page.keyboard.press('Escape')
  const again = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save the file again' }).click()
  expect(await textOf(await again)).toBe(await textOf(file))

  await dialog.getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'SSH key added', 'Work laptop')
  await expect(dialog.getByRole('button', { name: 'Save the file again' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
  await expect(keys(page)).toHaveText([/^Work laptop\s*ssh-ed25519.*On no server, added/])
  await expect(keys(page)).toContainText(await fingerprintOf(await publicHalfOf(file)))
  expect(sent.filter((body) => /PRIVATE|openssh-key|b3BlbnNz/.test(body))).toEqual([])
})

test('a key is pasted, and what is no public key is refused with a sentence', async ({
  page,
  people,
}) => {
  await enter(page, await people.client())
  await openRing(page)
  const dialog = await openDialog(page)
  const key = dialog.getByLabel('Public key')
  let calls = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') calls += 1
  })
  for (const [text, sentence] of [
    [
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA',
      'This is a private key. Paste the line that begins with ssh-… from the .pub file.',
    ],
    [`${ed25519.publicKey}\n${rsa.publicKey}`, 'These are several keys. Add them one at a time.'],
  ] as const) {
    await key.fill(text)
    await expect(key).toHaveAccessibleDescription(sentence)
    await dialog.getByRole('button', { name: 'Add key' }).click()
    await expect(key).toHaveAccessibleDescription(sentence)
  }
  expect(calls).toBe(0)

  await key.fill(`${ed25519.publicKey} robin@laptop`)
  await expect(key).toHaveAccessibleDescription(/^The one line of a \.pub file/)
  await expect(dialog.getByLabel('Name')).toHaveValue('robin@laptop')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'SSH key added', 'Laptop')
  await expect(dialog).toBeHidden()
  await expect(keys(page)).toHaveCount(1)
  await expect(keys(page)).toContainText(ed25519.fingerprint)
  await page.getByRole('button', { name: 'Copy fingerprint of Laptop' }).click()
  await expect.poll(() => clipboardOf(page)).toBe(ed25519.fingerprint)

  await openDialog(page)
  await key.fill(ed25519.publicKey)
  await dialog.getByLabel('Name').fill('Again')
  await dialog.getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'The key was not added', 'You already have this key: Laptop.')
  await expect(key).toHaveValue(ed25519.publicKey)
})

test('a key is removed after a question, and both are in the activity', async ({
  page,
  people,
}) => {
  await enter(page, await people.client())
  for (const [name, { publicKey }] of [
    ['Laptop', ed25519],
    ['Office', rsa],
  ] as const) {
    await page.request.post('/api/account/ssh-keys', { data: { name, publicKey } })
  }
  await page.goto('/settings?tab=ssh-keys')
  await expect(keys(page)).toHaveText([/^Laptop/, /^Office/])
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  const question = page.getByRole('alertdialog', { name: 'Remove Laptop?' })
  await expect(question).toContainText('Servers made with it keep it')
  await question.getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'SSH key removed', 'Laptop')
  await expect(keys(page)).toHaveText([/^Office/])
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(keys(page).filter({ hasText: 'SSH key' })).toHaveText([
    /^SSH key removed/,
    /^SSH key added/,
    /^SSH key added/,
  ])
})

test('a browser that cannot make keys is told how to make one', async ({ page, people }) => {
  await page.addInitScript(() => {
    const refuse = () => Promise.reject(new DOMException('Not supported', 'NotSupportedError'))
    Object.defineProperty(crypto.subtle, 'generateKey', { value: refuse })
  })
  await enter(page, await people.client())
  await openRing(page)
  const dialog = await openDialog(page)
  await dialog.getByRole('button', { name: 'Make one in the browser' }).click()
  await expect(dialog.getByText('This browser cannot make a key here')).toBeVisible()
  await expect(dialog.getByText('ssh-keygen -t ed25519', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Paste a key' }).click()
  await expect(dialog.getByLabel('Public key')).toBeVisible()
})

test('an operator who simulates a client sees its keys and changes none', async ({
  page,
  people,
  elsewhere,
}) => {
  const person = await people.client()
  const theirs = await elsewhere()
  await enter(theirs, person)
  await theirs.request.post('/api/account/ssh-keys', {
    data: { name: 'Laptop', publicKey: ed25519.publicKey },
  })
  await enter(page, admin)
  await page.request.post(`/api/admin/simulate/${person.id}`, { data: {} })
  await page.goto('/settings?tab=ssh-keys')
  await expect(keys(page)).toHaveText([/^Laptop/])
  await expect(page.getByText('Not available while simulating')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add key' })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Remove Laptop' })).toBeDisabled()
})

const textOf = async (file: Download): Promise<string> => readFile(await file.path(), 'utf8')

/** As ssh-keygen reads it from the file; without that program, as it stands in the file. */
async function publicHalfOf(file: Download): Promise<string> {
  const path = await file.path()
  chmodSync(path, 0o600)
  try {
    return execFileSync('ssh-keygen', ['-y', '-f', path], { encoding: 'utf8' }).trim()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const content = Buffer.from((await textOf(file)).split('\n').slice(1, -2).join(''), 'base64')
  const start = content.indexOf('ssh-ed25519') - 4
  return `ssh-ed25519 ${content.subarray(start, start + 51).toString('base64')}`
}
