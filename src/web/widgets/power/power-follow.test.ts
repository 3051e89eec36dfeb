import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { followPower } from './power-follow.ts'

type Look = () => { status: string; failure: string | null }

const looks: Look[] = []
const asked = vi.fn(async () => {
  const look = looks.shift()
  if (!look) throw new Error('asked once too often')
  return look()
})
const told = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  asked.mockClear()
  told.mockClear()
  looks.length = 0
})
afterEach(() => vi.useRealTimers())

const fails =
  (status: number): Look =>
  () => {
    throw new ApiError(status, String(status))
  }
const seen =
  (status: string): Look =>
  () => ({ status, failure: null })

async function follow() {
  const instance = { id: 2, name: 'web', vmId: 102, status: 'stopped' }
  const following = { instance, act: 'start', audience: 'client', refresh: [] } as const
  const end = followPower(new QueryClient(), following, { ask: asked, tell: told })
  await vi.runAllTimersAsync()
  await end
}

test('lost polls do not end the following', async () => {
  looks.push(fails(0), seen('starting'), fails(503), seen('running'))
  await follow()
  expect(told).toHaveBeenCalledExactlyOnceWith({ title: 'Instance started successfully' })
})

test('a user who is signed out, or has lost the server, sees no notice', async () => {
  for (const status of [401, 403, 404]) {
    looks.splice(0, looks.length, fails(status), seen('running'))
    await follow()
  }
  expect(told).not.toHaveBeenCalled()
  expect(asked).toHaveBeenCalledTimes(3)
})
