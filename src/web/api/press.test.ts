import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { call } from './call.ts'

type Reply = Response | 'no answer'

/** Returns these answers in order, then repeats the last one. */
const answers = (...replies: Reply[]) => {
  const fetch = vi.fn(async (_url: string, _options: RequestInit) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0]
    if (reply === undefined || reply === 'no answer') throw new TypeError('Failed to fetch')
    return reply.clone()
  })
  vi.stubGlobal('fetch', fetch)
  return fetch
}
const keys = (fetch: ReturnType<typeof answers>) =>
  fetch.mock.calls.map(([, { headers }]) => new Headers(headers).get('idempotency-key'))

const made = () => Response.json({ order: { id: 1 } }, { status: 201 })
const refused = (status: number, code: string) => Response.json({ code, message: code }, { status })
const order = (packageId: string) =>
  call(api.billing.order, { body: { packageId, osType: 'Debian 12' } })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const settled = async (work: Promise<unknown>) => {
  const outcome = work.then(
    () => 'done',
    () => 'failed',
  )
  await vi.advanceTimersByTimeAsync(20_000)
  return await outcome
}

test('two presses have two keys of 128 bits', async () => {
  const fetch = answers(made())
  await order('two')
  await order('two')
  const [first, second] = keys(fetch)
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).not.toBe(first)
})

test('a call that neither pays nor creates sends no key', async () => {
  const fetch = answers(Response.json([]))
  await call(api.users.list)
  await call(api.billing.cancel, { params: { id: 1 } })
  expect(keys(fetch)).toEqual([null, null])
})

test('a press without an answer is sent again automatically, under the same key', async () => {
  const fetch = answers('no answer', refused(409, 'IN_FLIGHT'), made())
  expect(await settled(order('again'))).toBe('done')
  const used = keys(fetch)
  expect(used).toHaveLength(3)
  expect(new Set(used).size).toBe(1)
})

test('a refusal is not sent again, and the next press has a new key', async () => {
  const fetch = answers(refused(409, 'SOLD_OUT'), made())
  expect(await settled(order('refused'))).toBe('failed')
  await order('refused')
  expect(new Set(keys(fetch)).size).toBe(2)
})

test('after a missing answer the same press has the same key, another press does not', async () => {
  const fetch = answers('no answer')
  expect(await settled(order('lost'))).toBe('failed')
  const tries = fetch.mock.calls.length
  const second = answers(made())
  await order('lost')
  await order('other')
  await order('lost')
  const [again, other, later] = keys(second)
  expect(tries).toBeGreaterThan(1)
  expect(again).toBe(keys(fetch)[0])
  expect(other).not.toBe(again)
  expect(later).not.toBe(again)
})

test('pressing again long after a lost answer is a new request', async () => {
  const fetch = answers('no answer')
  expect(await settled(order('old'))).toBe('failed')
  vi.advanceTimersByTime(300_001)
  const second = answers(made())
  await order('old')
  expect(keys(second)[0]).not.toBe(keys(fetch)[0])
})
