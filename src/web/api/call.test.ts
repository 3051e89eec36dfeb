import { afterEach, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { ApiError, NO_ANSWER } from './api-error.ts'
import { call } from './call.ts'

const answer = (response: () => Response | never) => {
  const fetch = vi.fn(async (_url: string, _options: RequestInit) => response())
  vi.stubGlobal('fetch', fetch)
  return fetch
}

afterEach(() => vi.unstubAllGlobals())

test('sends cookies, JSON and the filled path', async () => {
  const fetch = answer(() => Response.json({ id: 7 }))
  await call(api.users.update, { params: { id: 7 }, body: { isActive: false } })
  const [url, options] = fetch.mock.calls[0] ?? []
  expect(url).toBe('/api/admin/users/7')
  expect(options).toMatchObject({
    method: 'PATCH',
    body: '{"isActive":false}',
    headers: { 'content-type': 'application/json' },
  })
})

test.each([
  ['by a person', 120_000, { isActive: true }, false],
  ['by itself', 120_000, { isActive: false }, true],
  ['while the page opens', 5000, { isActive: false }, false],
  ['in a browser that does not tell', 120_000, undefined, false],
] as const)(
  'what is asked %s is marked accordingly',
  async (_by, age, userActivation, isMarked) => {
    vi.stubGlobal('performance', { now: () => age })
    vi.stubGlobal('navigator', { userActivation })
    const fetch = answer(() => Response.json([]))
    await call(api.users.list)
    expect('unattended' in Object(fetch.mock.calls[0]?.[1].headers)).toBe(isMarked)
  },
)

test('an empty body sends no content and no content type', async () => {
  const fetch = answer(() => new Response(null, { status: 204 }))
  expect(await call(api.auth.logout)).toBeUndefined()
  expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty('body')
  expect(fetch.mock.calls[0]?.[1].headers).not.toHaveProperty('content-type')
})

test('only a change without a body outlives its page', async () => {
  const fetch = answer(() => new Response(null, { status: 204 }))
  await call(api.auth.logout)
  await call(api.users.update, { params: { id: 7 }, body: { isActive: false } })
  await call(api.users.list)
  expect(fetch.mock.calls.map(([, { keepalive }]) => keepalive)).toEqual([true, false, false])
})

test('a refusal carries status, text and the parsed body', async () => {
  const body = { code: 'LAST_ADMIN', message: 'One administrator must remain.' }
  answer(() => Response.json(body, { status: 409 }))
  const error = await call(api.users.list).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 409, body, message: `409: ${JSON.stringify(body)}` })
})

test('a missing answer and an answer without JSON fail with a sentence', async () => {
  answer(() => {
    throw new TypeError('Failed to fetch')
  })
  await expect(call(api.users.list)).rejects.toThrow(NO_ANSWER)
  answer(() => new Response('<html>', { status: 200 }))
  await expect(call(api.users.list)).rejects.toBeInstanceOf(ApiError)
})
