import { expect, test } from 'vitest'
import { floodGate } from './supervise.ts'

test.each([
  ['a fast typist with a mouse', 300, 10, false],
  ['too many messages', 1001, 8, true],
  ['too many bytes', 20, 60_000, true],
])('%s', (_, messages, bytes, isTooMuch) => {
  const gate = floodGate()
  const verdicts = Array.from({ length: messages }, () => gate(bytes))
  expect(verdicts.at(-1)).toBe(isTooMuch)
  expect(verdicts[0]).toBe(false)
})
