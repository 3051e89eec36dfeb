import { api } from '#shared/api/index.ts'
import type { TestApp } from '../../testing/test-app.ts'
import type { Case } from './ways-back.ts'

/** What an account gives to its programs: keys and webhooks. */
export function programCases(t: TestApp): Case[] {
  const wish = { url: 'https://hooks.invalid/', events: ['order.paid' as const] }
  const onWebhook: Case['arrange'] = async () => {
    const caller = t.as(await t.make.client())
    const { id } = await caller.call(api.ownWebhooks.create, { body: wish })
    return [caller, { params: { id } }]
  }
  return [
    {
      route: api.apiKeys.create,
      arrange: async () => {
        const body = { name: 'script', scopes: ['servers:read'] }
        return [t.as(await t.make.client()), { body }]
      },
    },
    {
      route: api.ownWebhooks.create,
      arrange: async () => [t.as(await t.make.client()), { body: wish }],
    },
    { route: api.ownWebhooks.test, arrange: onWebhook },
    { route: api.ownWebhooks.replaceSecret, arrange: onWebhook },
  ]
}
