import { expect, test } from 'vitest'
import { csvOf } from './codes-csv.ts'

test('the table of codes has a line for each', () => {
  const made = {
    batch: 'b',
    amount: '5.00',
    currency: 'usd',
    expiresAt: null,
    vouchers: [
      { id: 1, code: 'AAAA-AAAA-AAAA-AAAA' },
      { id: 2, code: 'BBBB-BBBB-BBBB-BBBB' },
    ],
  }
  expect(csvOf(made).split('\r\n')).toEqual([
    'code,amount,currency,expires',
    'AAAA-AAAA-AAAA-AAAA,5.00,USD,',
    'BBBB-BBBB-BBBB-BBBB,5.00,USD,',
    '',
  ])
})
