import { expect, test } from 'vitest'
import { coalesced } from './coalesce.ts'

const late = new Error('too late')
const tooLate = () => late

test('of concurrent callers one tries, and the others fail as too late', async () => {
  const first = coalesced<unknown>()
  let tries = 0
  const attempt = async () => {
    tries += 1
    return 'mine'
  }
  const ends = await Promise.allSettled(
    Array.from({ length: 50 }, () => first('a', attempt, tooLate)),
  )
  expect(tries).toBe(1)
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(ends.filter((end) => end.status === 'rejected' && end.reason === late)).toHaveLength(49)
})

test('if the first fails the next one tries, one after the other', async () => {
  const first = coalesced<unknown>()
  const failure = new Error('its card was refused')
  const tries: number[] = []
  let running = 0
  const ends = await Promise.allSettled(
    [0, 1, 2, 3, 4].map((who) =>
      first(
        'a',
        async () => {
          tries.push(who)
          running += 1
          expect(running).toBe(1)
          await Promise.resolve()
          running -= 1
          if (who < 2) throw failure
          return who
        },
        tooLate,
      ),
    ),
  )
  expect(tries).toEqual([0, 1, 2])
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason))).toEqual([
    failure,
    failure,
    2,
    late,
    late,
  ])
})

test('a caller after the end tries again, and other keys do not wait', async () => {
  const first = coalesced<unknown>()
  const never = first('b', () => new Promise<string>(() => undefined), tooLate)
  expect(await first('a', async () => 1, tooLate)).toBe(1)
  expect(await first('a', async () => 2, tooLate)).toBe(2)
  expect(never).toBeInstanceOf(Promise)
})

test("the other callers get the winner's result", async () => {
  const first = coalesced<string>()
  const asked = ['ada', 'bob'].map((who) =>
    first(
      'a',
      async () => who,
      (won) => new Error(`${won} has it, not ${who}`),
    ),
  )
  const ends = await Promise.allSettled(asked)
  expect(ends).toMatchObject([{ value: 'ada' }, { reason: { message: 'ada has it, not bob' } }])
})
