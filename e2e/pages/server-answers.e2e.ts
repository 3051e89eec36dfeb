import type { Page } from '@playwright/test'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { ServerEvent } from '#shared/api/overview/servers.ts'
import type { Firewall } from '#shared/api/servers/firewall.ts'
import type { ClientInstance } from '#shared/api/servers/instances.ts'
import type { Cds } from '#shared/api/servers/isos.ts'
import { answerCalls } from '../acts/network.ts'
import { admin, enter } from '../acts/people.ts'
import { expect, test } from '../house/fixtures.ts'
import { answers, inMs, LONG_LABEL, OPERATOR, PATH } from '../screens/answers/server-states.ts'

// The page of a server in states that a demo does not reach by itself.

const FIREWALL = '**/api/instances/7/firewall'
const RULES: Firewall = {
  rules: [
    { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '22' },
    { direction: 'in', action: 'ACCEPT', protocol: 'tcp', ports: '443' },
  ],
  incoming: 'DROP',
  revertAt: null,
  before: null,
  reverted: null,
  isApplied: false,
  refusal: null,
}

test('an edited firewall rule survives news about anything but the rules', async ({
  page,
  people,
}) => {
  await enter(page, await people.client())
  await answerCalls(page, answers())
  let reads = 0
  await page.route(FIREWALL, async (route) => {
    reads += 1
    const reverted = { rules: [], incoming: 'ACCEPT' as const, at: inMs(-reads * 1000) }
    await route.fulfill({ json: { ...RULES, reverted } satisfies Firewall })
  })
  await page.goto(`${PATH}?tab=network`)
  const tab = page.getByRole('region', { name: 'Firewall' })
  await tab.getByRole('button', { name: 'Edit rule 2' }).click()
  await page.getByLabel('Ports').fill('8443')
  const before = reads
  await expect.poll(() => reads, { timeout: 15_000 }).toBeGreaterThan(before + 1)
  await page.getByRole('button', { name: 'Change it' }).click()
  await expect(tab.getByRole('listitem').nth(1)).toContainText('TCP 8443')
  await expect(tab.getByText('Not applied yet.')).toBeVisible()
})

test('the end of a rescue is asked for first, and said to switch the server off', async ({
  page,
  people,
  axe,
}) => {
  await enter(page, await people.client())
  const drive: Cds = {
    cd: { kind: 'rescue', name: 'Rescue', putInAt: inMs(-60_000), bootedAt: inMs(-50_000) },
    isos: [],
    rescue: 'Rescue',
    ownRefusal: null,
    own: null,
  }
  await answerCalls(page, {
    ...answers({ cd: 'rescue' }),
    '**/api/instances/7/iso': drive,
    '**/api/instances/7/rescue': { jobId: 'job' },
  })
  const ended: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/rescue')) ended.push(request.method())
  })
  await page.goto(`${PATH}?tab=rescue`)
  await page.getByRole('button', { name: 'End the rescue' }).click()
  const question = page.getByRole('alertdialog', { name: `End the rescue of ${LONG_LABEL}?` })
  await expect(question).toContainText(
    'The server shuts down and starts from its own disk. Unmount it first.',
  )
  await axe()
  expect(ended).toEqual([])
  await question.getByRole('button', { name: 'End the rescue' }).click()
  await expect(question).toBeHidden()
  expect(ended).toEqual(['DELETE'])
})

test('older activity that could not be loaded is said, with the button that tries again', async ({
  page,
  people,
}) => {
  await enter(page, await people.client())
  const event = (id: number): ServerEvent => ({
    ...{ id, at: inMs(-60_000), action: 'instance.start', by: 'you', details: {} },
  })
  const newest = Array.from({ length: 30 }, (_, index) => event(100 - index))
  await answerCalls(page, { ...answers(), '**/api/instances/7/activity?limit=30': newest })
  await page.route('**/api/instances/7/activity?*before=*', (route) => route.abort())
  await page.goto(`${PATH}?tab=activity`)
  const older = page.getByRole('button', { name: 'Show older' })
  await older.press('Enter')
  await expect(page.getByText('The older entries could not be loaded.')).toBeVisible()
  await expect(older).toBeFocused()
  await page.unroute('**/api/instances/7/activity?*before=*')
  await answerCalls(page, { '**/api/instances/7/activity?*before=*': [event(7)] })
  await older.press('Enter')
  await expect(page.getByText('The older entries could not be loaded.')).toBeHidden()
  await expect(older).toHaveCount(0)
})

test('an operator who reinstalls a server keeps the keys of its client on it', async ({ page }) => {
  await enter(page, admin)
  const sshKeys = [{ fingerprint: 'SHA256:one', name: 'Laptop' }]
  await answerCalls(page, {
    ...answers({ operator: OPERATOR, sshKeys }),
    '**/api/instances/7/reinstall': {
      ...{ systems: ['Debian 12'], osType: 'Debian 12', sshKeyIds: [3], confirm: LONG_LABEL },
      ...{ userData: { refusal: null }, snapshot: { refusal: null, days: 7 } },
    },
  })
  await page.goto(PATH)
  await page.getByRole('button', { name: /^Reinstall / }).click()
  const dialog = page.getByRole('dialog', { name: 'Reinstall' })
  await expect(dialog).toContainText('The SSH key of its client is put on the new system again.')
  await expect(dialog).not.toContainText('The server gets a new password.')
  await dialog.getByRole('textbox').last().fill(LONG_LABEL)
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  await dialog.getByRole('button', { name: 'Reinstall' }).click()
  expect((await sent).postDataJSON()).toMatchObject({ sshKeyIds: [3] })
})

/** Its servers are off, and the time of each is over. */
async function endTimes(page: Page): Promise<void> {
  await answerCalls(page, {
    '**/api/client/tokens': (list) =>
      (list as ClientToken[]).map((one) => ({ ...one, status: 'expired' })),
    '**/api/client/instances': (list) =>
      (list as ClientInstance[]).map((one) => ({ ...one, status: 'stopped' })),
    '**/api/instances/*/status': (one) => ({ ...(one as object), status: 'stopped' }),
  })
}

test('a client is not offered to start a server whose time is over', async ({ page, people }) => {
  await enter(page, await people.customer())
  await endTimes(page)
  await page.goto('/my-instances')
  const start = page.getByRole('button', { name: /^Start / }).first()
  await expect(start).toBeDisabled()
  await expect(start).toHaveAttribute(
    'title',
    'Start: This server has expired. Renew it to switch it on.',
  )
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to, find or do' }).fill('Console of')
  await expect(page.getByRole('option', { name: /^Console of/ }).first()).toBeVisible()
  await page.getByRole('combobox', { name: 'Go to, find or do' }).fill('Start ')
  await expect(page.getByRole('option', { name: /^Start / })).toHaveCount(0)
})
