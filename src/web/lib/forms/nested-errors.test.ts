import { expect, test } from 'vitest'
import { nestedErrors } from './nested-errors.ts'

test('each field shows the first sentence about it', () => {
  const errors = nestedErrors([
    { path: ['networks', 1, 'cidr'], message: 'first' },
    { path: ['networks', 1, 'cidr'], message: 'second' },
    { path: ['pool'], message: 'third' },
    { path: [], message: 'fourth' },
  ])
  expect(errors).toEqual({
    networks: { 1: { cidr: { type: 'schema', message: 'first' } } },
    pool: { type: 'schema', message: 'third' },
    root: { type: 'schema', message: 'fourth' },
  })
})
