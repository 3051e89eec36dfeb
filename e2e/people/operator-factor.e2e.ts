import type { BrowserContext, Page } from '@playwright/test'
import { sessions } from '../../src/server/db/schema/accounts.ts'
import { inDatabase } from '../../src/server/testing/prepare.ts'
import { removeFolder, startProcess } from '../../src/server/testing/server-process.ts'
import { admin, createPeople, enter } from '../acts/people.ts'
import { codeFor, press } from '../acts/second-factor.ts'
import { expect, test } from '../house/fixtures.ts'
import { recordTexts } from '../pictures/seen-texts.ts'

const NO_DEMO = { DEMO: '0' }
const REQUIRED = { ...NO_DEMO, OPERATOR_SECOND_FACTOR: 'required' }

/** Looks at a client, while no second factor is required yet. */
async function simulate(page: Page, url: string): Promise<void> {
  const people = await createPeople(url)
  const { id } = await people.client({ firstName: 'Ada' })
  await enter(page, admin)
  const reply = await page.request.post(`/api/admin/simulate/${id}`)
  expect(reply.ok()).toBe(true)
}

async function setUp(page: Page): Promise<string[]> {
  await page.getByLabel('Your password').fill(admin.password)
  await press(page, 'Set up')
  const shown = await page.locator('.break-all').innerText()
  await page.getByLabel('Code that the app shows').fill(codeFor(shown.replaceAll(/\s/g, '')))
  await press(page, 'Turn on')
  const codes = page.getByRole('listitem').filter({ hasText: /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/ })
  await expect(codes).toHaveCount(10)
  const paper = await codes.allInnerTexts()
  await press(page, 'I have saved these')
  return paper
}

test('an operator leaves a simulation for the set-up that is required, and proves a dangerous act', async ({
  browser,
}) => {
  test.setTimeout(180_000)
  let server = await startProcess(NO_DEMO)
  const { dataDir } = server
  /** The same installation after a restart; cookies do not depend on the port. */
  const restart = async (env: Record<string, string>) => {
    await server.stop()
    server = await startProcess(env, dataDir)
  }
  let context: BrowserContext | undefined
  try {
    context = await browser.newContext({ baseURL: server.url })
    await recordTexts(context)
    const page = await context.newPage()
    await simulate(page, server.url)
    await restart(REQUIRED)

    await page.goto(`${server.url}/billing`)
    await expect(page.getByText('Return to Admin and set one up.').first()).toBeVisible()
    await press(page, 'Return to Admin')
    await expect(page.getByRole('heading', { name: 'Set up your second factor' })).toBeVisible()
    await expect(page.getByRole('navigation')).toHaveCount(0)
    await page.goto(`${server.url}/tokens`)
    await expect(page.getByRole('heading', { name: 'Set up your second factor' })).toBeVisible()
    const [wasted = '', paper = ''] = await setUp(page)
    await expect(page.getByRole('button', { name: 'Logout' }).first()).toBeVisible()

    await server.stop()
    await inDatabase(REQUIRED, dataDir, ({ db }) =>
      db.update(sessions).set({ secondFactorAt: null }),
    )
    server = await startProcess(REQUIRED, dataDir)
    await page.goto(`${server.url}/settings?tab=webhooks`)
    await press(page, 'Make webhook')
    const form = page.getByRole('dialog', { name: 'Make webhook' })
    await form.getByLabel('Address').fill('https://example.com/hook')
    await form.getByRole('button', { name: 'Make webhook' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await expect(proof).toBeVisible()
    await proof.getByLabel('Code', { exact: true }).fill(`${wasted}X`)
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await expect(proof.getByText('This code is not right')).toBeVisible()
    await proof.getByLabel('Code', { exact: true }).fill(paper)
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByRole('dialog', { name: 'Secret of the webhook' })).toBeVisible()
  } finally {
    await context?.close()
    await server.stop()
    removeFolder(dataDir)
  }
})
