import { describe, expect, test, vi } from 'vitest'
import type { Log } from '../lib/log.ts'
import { createReader } from './event-reader.ts'

/** A reader whose database fails as often as the test says. */
function world(failures = 0) {
  const calls: string[] = []
  const failing = { left: failures }
  const fail = () => {
    if (failing.left === 0) return
    failing.left -= 1
    throw new Error('the connection was lost')
  }
  const warn = vi.fn()
  const reader = createReader({
    log: { warn, error: warn } as unknown as Log,
    retryMs: 1,
    async readThese(ids) {
      fail()
      calls.push(`read ${ids.join()}`)
    },
    async catchUp() {
      fail()
      calls.push('catch up')
    },
  })
  return { reader, calls, warn }
}

describe('events named by notifications', () => {
  test('are read together if they arrive together', async () => {
    const { reader, calls } = world()
    for (const id of ['1', '2', '3']) reader.read(id)
    await vi.waitFor(() => expect(calls).toEqual(['read 1', 'read 2,3']))
  })

  test('are read later if they could not be read now, with everything missed meanwhile', async () => {
    const { reader, calls, warn } = world(3)
    reader.read('7')
    await vi.waitFor(() => expect(calls).toEqual(['catch up', 'read 7']))
    expect(warn).toHaveBeenCalledTimes(3)
  })

  test('are caught up with until it works', async () => {
    const { reader, calls } = world(2)
    reader.catchUp()
    await vi.waitFor(() => expect(calls).toEqual(['catch up']))
  })

  test.each(['', 'NaN', '1.5', '-1', '1;drop', '9'.repeat(20)])(
    'are ignored if the payload is not an id: %j',
    async (payload) => {
      const { reader, calls } = world()
      reader.read(payload)
      reader.read('5')
      await vi.waitFor(() => expect(calls).toEqual(['read 5']))
    },
  )

  test('are no longer read once the reader is closed', async () => {
    const { reader, calls } = world(1)
    reader.read('1')
    reader.close()
    await new Promise((later) => setImmediate(later))
    reader.read('2')
    await new Promise((later) => setImmediate(later))
    expect(calls).toEqual([])
  })
})
