import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { findImage } from '../../src/pve-sim/linux/guest-image.ts'
import { canForward } from '../../src/pve-sim/linux/guest-network.ts'
import { findQemu } from '../../src/pve-sim/qemu/find-qemu.ts'
import { removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { clipboardOf, expectToast } from '../acts/looking.ts'
import { enter } from '../acts/people.ts'
import { test as base, endServer, expect } from '../house/fixtures.ts'

const OFFER = 'Taster, 1 CPU, 1 GB RAM, 25 GB SSD'
const KEY = 'Work laptop'
const WAY_IN = /^ssh -p 2222 \w+@127\.77\.0\.\d+$/
/** A start in software emulation on a busy machine, and the next look at the host keys. */
const BOOTED = { timeout: 300_000 }

async function missing(): Promise<string | undefined> {
  if (!(await findQemu())) return 'qemu-system-x86_64 is not installed here'
  if (!findImage()) return 'the guest image is not built here: npm run guest-image'
  if (!(await canForward())) return 'port 2222 or 8080 of 127.77.0.1 cannot be used here'
  try {
    execFileSync('ssh', ['-V'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'ssh is not installed here'
  }
}
const why = await missing()

const test = base.extend<object, object>({
  server: [
    async ({}, use) => {
      const env = { DEMO_QEMU: '1', DEMO_LINUX: '1', DEMO_TASK_MS: '100' }
      const server = await startProcess(env)
      await use(server)
      await endServer(server)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

test.skip(why !== undefined, why ?? '')

/** Makes a key in the browser. Returns the file that the browser saved. */
async function makeKey(page: Page): Promise<string> {
  await page.goto('/settings?tab=ssh-keys')
  await page.getByRole('button', { name: 'Add key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add SSH key' })
  await dialog.getByRole('button', { name: 'Make one in the browser' }).click()
  await dialog.getByLabel('Name').fill(KEY)
  const saved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Make key' }).click()
  const file = await (await saved).path()
  await dialog.getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'SSH key added', KEY)
  await dialog.getByRole('button', { name: 'Done' }).click()
  chmodSync(file, 0o600)
  return file
}

/** Ends at the page of the server. */
async function takeWithKey(page: Page): Promise<void> {
  await page.goto('/create-instance')
  const offer = page.getByRole('article', { name: OFFER })
  await offer.getByRole('button', { name: /^Start Free Trial/ }).click()
  const question = page.getByRole('alertdialog')
  await question.getByLabel('Label').fill('Mail')
  await question.getByLabel('Hostname').fill('mx-1')
  await question.getByLabel(KEY).check()
  await question.getByRole('button', { name: /^Start Free Trial/ }).click()
  const card = page.getByRole('article', { name: 'Mail' })
  await expect(card.getByText(WAY_IN)).toBeVisible(BOOTED)
  await card.getByRole('link', { name: 'Mail', exact: true }).click()
}

/** The lines for known_hosts that the page of the server offers to copy. */
async function knownHosts(page: Page): Promise<string> {
  const copy = page.getByRole('button', { name: 'Copy for known_hosts' })
  await expect(copy).toBeVisible(BOOTED)
  await copy.click()
  await expect.poll(() => clipboardOf(page)).toContain('ssh-ed25519 ')
  return await clipboardOf(page)
}

/** Runs a command on the server by the line its page shows, trusting only the given host keys. */
async function onServer(page: Page, key: string, hosts: string, command: string, user?: string) {
  const line = await page.getByText(WAY_IN).innerText()
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-ssh-'))
  try {
    const file = join(folder, 'known_hosts')
    writeFileSync(file, hosts)
    const options = ['StrictHostKeyChecking=yes', `UserKnownHostsFile=${file}`, 'BatchMode=yes']
    const set = [...options, 'IdentitiesOnly=yes', 'ConnectTimeout=60'].flatMap((o) => ['-o', o])
    const shown = line.replace(/\w+@/, (own) => (user ? `${user}@` : own))
    const args = ['-F', 'none', '-i', key, ...set, ...shown.split(' ').slice(1), command]
    return (await promisify(execFile)('ssh', args)).stdout
  } finally {
    removeFolder(folder)
  }
}

const LOOK = 'id -un; hostname; . /etc/os-release; echo "$PRETTY_NAME"; echo kept >> note; cat note'

test('a client signs in by SSH with the key made in the browser, also after a reinstallation', async ({
  page,
  people,
}) => {
  test.setTimeout(900_000)
  await enter(page, await people.anonymous())
  const key = await makeKey(page)
  await takeWithKey(page)

  const hosts = await knownHosts(page)
  expect(await onServer(page, key, hosts, LOOK)).toBe('debian\nmx-1\nDebian GNU/Linux 12\nkept\n')
  expect(await onServer(page, key, hosts, LOOK)).toMatch(/kept\nkept\n$/)

  await page.getByRole('button', { name: 'Reinstall Mail' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reinstall' })
  await dialog.getByLabel('Operating system').selectOption('Rocky Linux 9')
  const asked = await dialog.getByText(/^Type \S+ to confirm$/).innerText()
  await dialog.getByRole('textbox').fill(asked.split(' ')[1] ?? '')
  await dialog.getByRole('button', { name: 'Reinstall' }).click()
  await expect(page.getByText(/^ssh -p 2222 rocky@/)).toBeVisible(BOOTED)
  await expect(page.getByText(/^Changed on .*: expected after a reinstall/)).toBeVisible(BOOTED)

  const others = await knownHosts(page)
  expect(others).not.toBe(hosts)
  await expect(onServer(page, key, hosts, 'true')).rejects.toThrow('Host key verification failed')
  expect(await onServer(page, key, others, LOOK)).toBe(
    'rocky\nmx-1\nRocky Linux 9.6 (Blue Onyx)\nkept\n',
  )
  await expect(page.getByText('Running', { exact: true })).toBeVisible()
  await onServer(page, key, others, 'poweroff', 'root')
  await expect(page.getByText('Stopped', { exact: true })).toBeVisible(BOOTED)
})
