import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { startProcess } from '../../src/server/testing/server-process.ts'
import { expectToast } from '../acts/looking.ts'
import { enter, OPERATOR } from '../acts/people.ts'
import { test as base, endServer, expect } from '../house/fixtures.ts'

type Receiver = { url: string; received: string[]; answer: (status: number) => void }

const test = base.extend<{ receiver: Receiver }, { server: { url: string } }>({
  server: [
    async ({}, use) => {
      // The demo's cluster is on this machine, and no webhook goes to a cluster.
      const server = await startProcess({ ...OPERATOR, WEBHOOK_REACH: 'inside', DEMO: '0' })
      await use(server)
      await endServer(server)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  receiver: async ({}, use) => {
    const received: string[] = []
    let status = 204
    const server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']))
      request.resume()
      response.writeHead(status).end()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const answer = (next: number) => {
      status = next
    }
    await use({ url: `http://127.0.0.1:${port}/hook`, received, answer })
    server.closeAllConnections()
    server.close()
  },
})

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

test('a webhook is made, shows its secret once, is tried, sent again and switched off', async ({
  page,
  people,
  receiver,
  axe,
}) => {
  test.setTimeout(120_000)
  await enter(page, await people.client())
  await page.goto('/settings?tab=webhooks')
  await page.getByRole('button', { name: 'Make webhook' }).click()
  const form = dialog(page, 'Make webhook')
  await form.getByRole('button', { name: 'Make webhook' }).click()
  await expect(form.getByText('Please enter an address')).toBeVisible()
  await form.getByLabel('Address').fill(receiver.url)
  await form.getByRole('button', { name: 'Make webhook' }).click()
  const secret = dialog(page, 'Secret of the webhook')
  const shown = await secret.getByText(/^whsec_/).innerText()
  await axe()
  await secret.getByRole('button', { name: 'I have the secret' }).click()
  await page.reload()
  await expect(page.getByText(receiver.url)).toBeVisible()
  await expect(page.getByText(shown)).toHaveCount(0)

  await page.getByRole('button', { name: /^Log of/ }).click()
  const log = dialog(page, 'Log of the webhook')
  await expect(log.getByText('Nothing was sent yet')).toBeVisible()
  await log.getByRole('button', { name: 'Send test' }).click()
  await expect(log.getByText('Delivered')).toBeVisible({ timeout: 30_000 })
  await log.getByRole('button', { name: 'Send again: test' }).click()
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2)
  expect(new Set(receiver.received).size).toBe(1)

  receiver.answer(410)
  await log.getByRole('button', { name: 'Send again: test' }).click()
  await expect(log.getByText('Failed')).toBeVisible({ timeout: 30_000 })
  await page.goto('/client-dashboard')
  await page.getByRole('link', { name: 'See webhooks' }).click()
  await expect(page.getByText('Switched off', { exact: true })).toBeVisible()
  await expect(page.getByText('its address answered 410 Gone')).toBeVisible()
  await axe()

  receiver.answer(204)
  await page.getByRole('button', { name: /^Change / }).click()
  const change = dialog(page, 'Change webhook')
  await change.getByLabel('On', { exact: true }).check()
  await change.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Webhook changed')
  await expect(page.getByText('Switched off', { exact: true })).toBeHidden()
  await page.goto('/client-dashboard')
  await expect(page.getByRole('link', { name: 'See webhooks' })).toBeHidden()
})
