import { expect, test } from 'vitest'
import { wordsOf } from './ending-words.ts'
import { keysymOf } from './keysyms.ts'

test.each([
  ['a', 0x61],
  ['ü', 0xfc],
  ['€', 0x010020ac],
  ['\n', 0xff0d],
  ['\t', 0xff09],
])('%j is key %i', (character, keysym) => {
  expect(keysymOf(character)).toBe(keysym)
})

test.each([
  [4000, '', 'The server was shut down', true],
  [4001, 'This console link is used up.', 'The console did not open', true],
  [4002, 'You are no longer signed in here.', 'The console was closed', false],
  [1006, '', 'The connection was lost', true],
])('%i %s', (code, reason, title, canReconnect) => {
  expect(wordsOf({ code, reason })).toMatchObject({ title, canReconnect })
})
