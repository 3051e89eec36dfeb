import { expect, it } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { waitForAnswer } from './wait-for-answer.ts'

/** A guest whose every answer takes this long; only answers and pauses move the clock. */
function guest(answerMs: number, answer: (asked: number) => string[]) {
  let now = 1_000
  let asked = 0
  const parts: number[] = []
  const waiting = {
    log: { debug: () => {} },
    progress: async (part: number) => void parts.push(part),
    time: {
      now: () => now,
      async sleep(ms: number) {
        now += ms
      },
    },
  }
  const ask = async () => {
    asked += 1
    now += answerMs
    return answer(asked)
  }
  return { word: () => waitForAnswer(ask, waiting), elapsed: () => now - 1_000, parts }
}

it.each([0, 50, 3_000])(
  'a silent guest is waited for one minute, even if each request takes %i ms',
  async (answerMs) => {
    const silent = guest(answerMs, () => [])
    expect(await silent.word()).toEqual([])
    expect(silent.elapsed()).toBeGreaterThanOrEqual(60_000)
    expect(silent.elapsed()).toBeLessThan(65_000)
    expect(Math.max(...silent.parts)).toBeLessThanOrEqual(1)
  },
)

it('a guest that answers is not waited for any longer', async () => {
  const quick = guest(100, (asked) => (asked < 3 ? [] : ['203.0.113.7']))
  expect(await quick.word()).toEqual(['203.0.113.7'])
  expect(quick.elapsed()).toBeLessThan(1_000)
})

it('a refusal by the agent is retried, a missing agent is not', async () => {
  const refusing = (code: 'UNAVAILABLE' | 'INVALID_STATE') =>
    guest(3_000, () => {
      throw new AppError(code, 'The guest agent does not answer yet.')
    })
  const booting = refusing('UNAVAILABLE')
  expect(await booting.word()).toEqual([])
  expect(booting.elapsed()).toBeGreaterThanOrEqual(60_000)
  const without = refusing('INVALID_STATE')
  expect(await without.word()).toEqual([])
  expect(without.elapsed()).toBe(3_000)
})
