import { expect, it } from 'vitest'
import { type Failure, ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError } from '#shared/errors.ts'
import { circuitBreaker } from './circuit-breaker.ts'

function scene() {
  let now = 0
  let calls = 0
  const breaker = circuitBreaker(() => now)
  const fail = (failure: Failure) =>
    breaker.run(async () => {
      calls += 1
      throw new ProxmoxError(failure, 'no')
    })
  const away: Failure = { kind: 'unreachable', reason: 'timeout' }
  return {
    breaker,
    calls: () => calls,
    advance: (ms: number) => {
      now += ms
    },
    fail: async (failure: Failure = away, times = 1) => {
      for (let i = 0; i < times; i += 1) await expect(fail(failure)).rejects.toThrow()
    },
  }
}

it('opens after three failures in a row, and then fails at once', async () => {
  const { breaker, fail, calls } = scene()
  await fail(undefined, 2)
  await breaker.run(async () => 'fine')
  await fail(undefined, 2)
  expect(breaker.isOpen).toBe(false)
  await fail()
  expect(breaker.isOpen).toBe(true)
  const refused = breaker.run(async () => 'never')
  await expect(refused).rejects.toMatchObject({ code: 'CLUSTER_UNAVAILABLE', retryAfter: 10 })
  await expect(refused).rejects.toBeInstanceOf(AppError)
  expect(calls()).toBe(5)
})

it('tries again after a rest that grows, up to a minute', async () => {
  const { breaker, fail, advance } = scene()
  await fail(undefined, 3)
  for (const rest of [10, 20, 40, 60, 60]) {
    advance(rest * 1000 - 1)
    expect(breaker.isOpen).toBe(true)
    advance(1)
    expect(breaker.isOpen).toBe(false)
    await fail()
  }
  advance(60_000)
  await breaker.run(async () => 'back')
  await fail()
  expect(breaker.isOpen).toBe(false)
})

it('lets a probe through, which closes it when the cluster is back', async () => {
  const { breaker, fail } = scene()
  await fail(undefined, 3)
  expect(await breaker.run(async () => 'back', { isProbe: true })).toBe('back')
  expect(breaker.isOpen).toBe(false)
})

it.each<Failure>([
  { kind: 'locked', lock: 'backup' },
  { kind: 'not-found', what: 'vm' },
  { kind: 'forbidden', path: '/', privileges: [] },
  { kind: 'unreachable', reason: 'node-unreachable' },
  { kind: 'unreachable', reason: 'aborted' },
])('ignores %j', async (failure) => {
  const { breaker, fail } = scene()
  await fail(failure, 10)
  expect(breaker.isOpen).toBe(false)
})
