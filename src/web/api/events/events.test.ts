import type { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { listen } from './events.ts'

/** The last stream that the page has opened. */
let stream: { url: string; onopen?: () => void } | undefined
const page = new EventTarget()
const invalidateQueries = vi.fn()
const client = { invalidateQueries } as unknown as QueryClient
let stop: (() => void) | undefined

function show(isHidden: boolean) {
  Object.assign(page, { hidden: isHidden })
  page.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  vi.stubGlobal('document', page)
  vi.stubGlobal(
    'EventSource',
    class {
      url: string
      onopen?: () => void
      constructor(url: string) {
        this.url = url
        stream = this
      }
      close() {}
    },
  )
  invalidateQueries.mockClear()
  stream = undefined
})
afterEach(() => {
  stop?.()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** The page begins to listen while it is looked at or not. */
function begin(isHidden: boolean) {
  show(isHidden)
  stop = listen(client, async () => {})
}

test('a page that is looked at once it has loaded is told what has changed since', () => {
  vi.advanceTimersByTime(MINUTE_MS / 2)
  begin(false)
  stream?.onopen?.()
  expect(stream?.url).toMatch(`?age=${MINUTE_MS / 2}`)
  expect(invalidateQueries).not.toHaveBeenCalled()
})

test('a page that was opened in the background reads everything again when it is looked at', () => {
  begin(true)
  vi.advanceTimersByTime(60 * MINUTE_MS)
  expect(stream).toBeUndefined()
  show(false)
  expect(stream?.url).toMatch(`?age=${MINUTE_MS}`)
  expect(invalidateQueries).not.toHaveBeenCalled()
  stream?.onopen?.()
  expect(invalidateQueries).toHaveBeenCalledOnce()
})

test('a page that was hidden for a moment reads again what it may have missed', () => {
  begin(false)
  stream?.onopen?.()
  show(true)
  show(false)
  stream?.onopen?.()
  expect(invalidateQueries).toHaveBeenCalledOnce()
})
