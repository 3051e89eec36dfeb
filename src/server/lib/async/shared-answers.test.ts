import { expect, test } from 'vitest'
import { sharedAnswers } from './shared-answers.ts'

test('callers at the same time share an answer, and later ones ask again', async () => {
  const share = sharedAnswers<object, number>()
  const [one, other] = [{}, {}]
  let asked = 0
  const ask = async () => {
    asked += 1
    return asked
  }
  expect(await Promise.all([share(one, 7, ask), share(one, 7, ask)])).toEqual([1, 1])
  expect(await Promise.all([share(one, 7, ask), share(one, 8, ask)])).toEqual([2, 3])
  expect(await Promise.all([share(one, 7, ask), share(other, 7, ask)])).toEqual([4, 5])
})

test('a failure is shared, and not kept', async () => {
  const share = sharedAnswers<object, number>()
  const one = {}
  const fail = () => Promise.reject(new Error('away'))
  const both = await Promise.allSettled([share(one, 7, fail), share(one, 7, fail)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await share(one, 7, async () => 1)).toBe(1)
})
