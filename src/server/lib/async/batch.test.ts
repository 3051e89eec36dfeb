import { expect, test } from 'vitest'
import { batched } from './batch.ts'

function recorded(answer: (keys: string[]) => Promise<Map<string, number>>) {
  const asked: string[][] = []
  const find = batched((keys: string[]) => {
    asked.push(keys)
    return answer(keys)
  })
  return { asked, find }
}

const lengths = async (keys: string[]) => new Map(keys.map((key) => [key, key.length]))

test('concurrent calls share one query, and each gets its own answer', async () => {
  const { asked, find } = recorded(lengths)
  expect(await Promise.all(['a', 'bb', 'ccc', 'bb'].map(find))).toEqual([1, 2, 3, 2])
  expect(asked).toEqual([['a', 'bb', 'ccc', 'bb']])
})

test('a later call queries again, so that an answer is never older than its call', async () => {
  const { asked, find } = recorded(lengths)
  const first = find('a')
  await new Promise((resolve) => setImmediate(resolve))
  const second = find('a')
  expect(await Promise.all([first, second])).toEqual([1, 1])
  expect(asked).toEqual([['a'], ['a']])
})

test('a missing key is undefined', async () => {
  const { find } = recorded(async () => new Map())
  expect(await find('a')).toBeUndefined()
})

test('a failure reaches all callers of the batch, and none after them', async () => {
  let isDown = true
  const { find } = recorded((keys) =>
    isDown ? Promise.reject(new Error('the database is away')) : lengths(keys),
  )
  const ends = await Promise.allSettled([find('a'), find('bb')])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isDown = false
  expect(await find('ccc')).toBe(3)
})
