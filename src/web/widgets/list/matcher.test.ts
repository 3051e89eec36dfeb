import { expect, test } from 'vitest'
import { matcher } from './matcher.ts'

test('every word must occur, in any text and any case', () => {
  expect(matcher('WEB 101')('web-1', 101, null)).toBe(true)
  expect(matcher('web 102')('web-1', 101)).toBe(false)
})

test('an empty search finds everything', () => {
  expect(matcher('  ')(undefined)).toBe(true)
})
