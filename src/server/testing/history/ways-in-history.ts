import { api } from '#shared/api/index.ts'
import { withPasskey } from '../../second-factor/testing/with-passkey.ts'
import { createEventCollector } from '../../webhooks/collect-events.ts'
import type { TestApp, TestClock } from '../test-app.ts'

/** An account with a second factor and a passkey that is being asked, and one whose recovery waits. */
export async function waysInSetUp(t: TestApp, clock: TestClock): Promise<void> {
  const { me } = await withPasskey(t, await t.make.client(), clock)
  await me.call(api.passkeys.challenge)
  const lost = await t.make.client()
  const { words } = await t.as(lost).call(api.recovery.makeKit)
  const body = { username: lost.username, words, password: 'the password after the words' }
  await t.visitor.call(api.recovery.begin, { body })
}

/** A webhook that was told something, could not be reached, and was switched off. */
export async function webhookMade(t: TestApp): Promise<void> {
  const owner = t.as(await t.make.client())
  const wish = { url: 'https://hooks.invalid/', events: ['server.ready' as const] }
  const { id } = await owner.call(api.ownWebhooks.create, { body: wish })
  const params = { id }
  await owner.call(api.ownWebhooks.replaceSecret, { params })
  await owner.call(api.ownWebhooks.test, { params })
  await createEventCollector(t.deps)()
  await owner.call(api.ownWebhooks.update, { params, body: { ...wish, isOn: false } })
}

/** A program with an API key has ordered a plan, which waits for its payment. */
export async function orderedByKey(t: TestApp, packageId: string, osType: string): Promise<void> {
  const { key } = await t.as(await t.make.client()).call(api.apiKeys.create, {
    body: { name: 'shop', scopes: ['billing:spend'], dailyLimit: '500', cidrs: ['127.0.0.0/8'] },
  })
  const { method, path } = api.billing.order
  const headers = { authorization: `Bearer ${key}` }
  const payload = { packageId, osType }
  const reply = await t.app.inject({ method, url: path, headers, payload })
  if (reply.statusCode !== 201) throw new Error(`the order by key failed: ${reply.body}`)
}
