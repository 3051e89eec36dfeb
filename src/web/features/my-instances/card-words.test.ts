import { expect, test } from 'vitest'
import { cardSentence } from './card-words.ts'

test('an unknown state is not called a failure of the server', () => {
  expect(cardSentence('running')).toBeUndefined()
  expect(cardSentence('unknown')).toContain('keeps running')
})
