import { expect, test, vi } from 'vitest'
import { signIn, startProcess } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'

const SECRET_KEY = 'a key for two processes, long enough'

/** Reads a stream of events into one growing text. */
async function openStream(call: Awaited<ReturnType<typeof signIn>>, lastEventId?: string) {
  const reply = await call('/api/events', {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  })
  const stream = { text: '', isOpen: true }
  const decoder = new TextDecoder()
  const read = async () => {
    for await (const chunk of reply.body ?? []) stream.text += decoder.decode(chunk)
  }
  read()
    .catch(() => undefined)
    .finally(() => {
      stream.isOpen = false
    })
  return { stream, status: reply.status, type: reply.headers.get('content-type') }
}

const newUser = (n: number) => ({
  method: 'POST',
  body: JSON.stringify({ email: `person-${n}@example.test`, firstName: 'Ada', lastName: 'Byron' }),
})

test('two processes on one PostgreSQL: sessions and events are the same on both', async () => {
  const env = { DATABASE_URL: await testPostgresUrl(), SECRET_KEY }
  const [one, two] = [await startProcess(env), await startProcess(env)]
  const call = await signIn(one.url)
  const cookie = (path: string, init?: RequestInit) =>
    call(path, init).then((reply) => reply.status)
  expect(await cookie('/api/auth/me')).toBe(200)
  const there = await signIn(two.url)

  const { stream, type } = await openStream(there)
  expect(type).toContain('text/event-stream')
  expect((await call('/api/users', newUser(1))).status).toBe(201)
  await vi.waitFor(() => expect(stream.text).toContain('"nouns":["users"]'), { timeout: 10_000 })

  // Missed events are sent when the page returns with the last id it saw.
  const lastId = /^id: (\d+)$/m.exec(stream.text)?.[1] ?? ''
  expect((await call('/api/users', newUser(2))).status).toBe(201)
  const resumed = await openStream(there, lastId)
  await vi.waitFor(
    () => {
      const ids = [...resumed.stream.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
      expect(Math.max(...ids)).toBeGreaterThan(Number(lastId))
    },
    { timeout: 10_000 },
  )

  // Signed out in one process: the stream in the other ends.
  await there('/api/account/sessions', { method: 'DELETE' })
  await vi.waitFor(() => expect(resumed.stream.isOpen).toBe(false), { timeout: 10_000 })
  expect(await one.stop()).toBe(0)
  expect(await two.stop()).toBe(0)
})

test('SIGTERM with open pages answers the requests under way, then ends the process', async () => {
  const env = { DATABASE_URL: await testPostgresUrl(), SECRET_KEY }
  const server = await startProcess(env)
  const call = await signIn(server.url)
  const { stream } = await openStream(call)
  await vi.waitFor(() => expect(stream.text).toContain('retry:'))
  const underWay = Array.from({ length: 20 }, (_, n) => call('/api/users', newUser(n)))
  const started = Promise.allSettled(underWay)
  await underWay[0]
  expect(await server.stop()).toBe(0)
  const answered = (await started).filter(
    (result) => result.status === 'fulfilled' && result.value.status === 201,
  )
  expect(answered.length).toBeGreaterThan(0)
})
