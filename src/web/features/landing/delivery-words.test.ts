import { expect, test } from 'vitest'
import { deliveryWords } from './delivery-words.ts'

test.each([
  [{ delivered: 0, returned: 0, medianSeconds: null }, undefined],
  [{ delivered: 0, returned: 2, medianSeconds: null }, undefined],
  [
    { delivered: 412, returned: 2, medianSeconds: 48 },
    'You pay when your server answers. In 30 days 412 of 414 did, half of them within 48 seconds; for 2 the money came back by itself.',
  ],
  [
    { delivered: 1200, returned: 0, medianSeconds: 130 },
    'You pay when your server answers. In 30 days 1,200 of 1,200 did, half of them within 2 minutes.',
  ],
])('the figures %o are said in one line', (figures, words) => {
  expect(deliveryWords(figures)).toBe(words)
})
