import { expect, test } from 'vitest'
import { EMPTY_TOKEN } from '../form/token-form.ts'
import { countOf, severalProblems } from './several-tokens.ts'

test('a quantity is a whole number up to fifty', () => {
  expect(['1', ' 20 ', '50'].map(countOf)).toEqual([1, 20, 50])
  expect(['', '0', '51', '-1', '2.5', '1e1', 'x'].map(countOf)).toEqual(Array(7).fill(undefined))
})

test('several tokens cannot share a unique value', () => {
  const one = { ...EMPTY_TOKEN, macAddress: 'bc:24:11:00:00:01', domain: 'a.example' }
  expect(severalProblems(one, '1')).toEqual({})
  expect(severalProblems(one, '3')).toEqual({
    macAddress: 'Leave this empty: 3 tokens cannot share it',
    domain: 'Leave this empty: 3 tokens cannot share it',
  })
  expect(severalProblems(one, 'many')).toEqual({ quantity: 'Enter a number from 1 to 50' })
})

test('Ready tokens are created one at a time, because each sells one existing VM', () => {
  expect(severalProblems({ ...EMPTY_TOKEN, tokenType: 'ready' }, 'x')).toEqual({})
})
