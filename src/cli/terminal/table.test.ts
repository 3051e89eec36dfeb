import { expect, test } from 'vitest'
import { factsOf, tableOf } from './table.ts'
import { plain, widthOf } from './width.ts'

test.each([
  ['web', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['🦊', 2],
  ['👩‍💻', 2],
  ['', 0],
])('%s is %i cells wide', (text, width) => expect(widthOf(text)).toBe(width))

test('columns line up under their headings, whatever the script', () => {
  const rows = [
    { name: '日本', id: 1 },
    { name: 'web', id: null },
  ]
  const columns = {
    NAME: (row: (typeof rows)[0]) => row.name,
    ID: (row: (typeof rows)[0]) => row.id,
  }
  expect(tableOf(rows, columns, false)).toBe('NAME  ID\n日本  1\nweb   -\n')
  expect(tableOf(rows, columns, true)).toContain('\u001b[1m')
})

test('what a server sends cannot steer the terminal', () => {
  expect(plain('a\u001b]0;x\u0007\nb\u202e')).toBe('a]0;x b')
  expect(factsOf({ Name: 'a\u001b[2J', On: true })).toBe('Name  a[2J\nOn    yes\n')
})
