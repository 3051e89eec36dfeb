import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { testApp } from '../../testing/test-app.ts'
import { EXAMPLE_REQUESTS } from './example-values.ts'
import { openApiDocument } from './openapi.ts'

type Content = {
  'application/json'?: { schema: Parameters<typeof z.fromJSONSchema>[0]; example?: unknown }
}
type Operation = {
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Document = { paths: Record<string, Record<string, Operation>> }

const { paths } = openApiDocument(api, { title: 'API', version: '0' }) as Document
const calls = Object.entries<Record<string, Route>>(api).flatMap(([noun, group]) =>
  Object.entries(group).map(([name, route]) => {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = paths[path]?.[route.method.toLowerCase()]
    const answer = operation?.responses[route.status ?? 200]?.content?.['application/json']
    const request = operation?.requestBody?.content['application/json']?.example
    return { call: `${noun}.${name}`, route, request, answer }
  }),
)
const withBody = calls.filter(({ route }) => route.body)

describe('examples in the API document', () => {
  test.each(withBody)('$call has a request that it accepts', ({ route, request }) => {
    expect(route.body?.safeParse(request)).toMatchObject({ success: true })
  })

  test.each(calls.filter(({ answer }) => answer))('$call has an answer that fits', ({ answer }) => {
    expect(z.fromJSONSchema(answer?.schema ?? {}).safeParse(answer?.example)).toMatchObject({
      success: true,
    })
  })

  test('are named only for calls that exist', () => {
    const names = withBody.map(({ call }) => call)
    expect(Object.keys(EXAMPLE_REQUESTS).filter((call) => !names.includes(call))).toEqual([])
  })
})

/**
 * These call what their body names (a cluster, a DNS server, a provider), or name what an empty
 * installation has not: its cluster, its way to pay, the caller's own name, a second factor, a key.
 */
const NEEDS_MORE =
  /^(clusters|pools|tokens.create|reverseDns.(connect|test)|payments.(test|arrange)|account.remove|secondFactor.prove|passkeys.add|tools)/
const PARAMS: Record<string, string> = {
  code: 'k3v9xq2m7t',
  tokenId: 'k3v9xq2m7t',
  provider: 'stripe',
}

describe('examples that are sent', async () => {
  const t = await testApp({ withJobs: 'queued' })

  test.each(withBody.filter(({ call }) => !NEEDS_MORE.test(call)))(
    '$call is understood, whatever becomes of it',
    async ({ route, request }) => {
      const isStaff = route.access === 'admin' || route.access === 'simulating'
      const caller = t.as(isStaff ? await t.make.admin() : await t.make.client())
      const url = route.path.replaceAll(/:(\w+)/g, (_, name: string) => PARAMS[name] ?? '1')
      const reply = await caller.send({ method: route.method, url, payload: request as object })
      expect([400, 403, 500]).not.toContain(reply.statusCode)
    },
  )
})
