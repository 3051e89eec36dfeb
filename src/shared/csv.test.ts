import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test('a line ends as RFC 4180 says, and keeps commas, quotes and line breaks', () => {
  expect(csvLine(['a', 'b,c', 'say "x"', 'two\r\nlines', ''])).toBe(
    'a,"b,c","say ""x""","two\r\nlines",\r\n',
  )
})

test.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\tx', '\r=x', '-', '-5.00,', '-5.00=1'])(
  'no cell is a formula: %j',
  (text) => {
    expect(csvLine([text]).replace(/^"/, '')).toMatch(/^'/)
  },
)

test.each(['-5.00', '5.00', '0', '-12'])('a number stays a number: %s', (text) => {
  expect(csvLine([text])).toBe(`${text}\r\n`)
})
