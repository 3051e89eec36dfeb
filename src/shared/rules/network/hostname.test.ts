import { expect, test } from 'vitest'
import { isHostname } from './hostname.ts'

test.each(['a', 'web-1', '3com', 'x'.repeat(63)])('%s is a hostname', (name) => {
  expect(isHostname(name)).toBe(true)
})

test.each(['', '-a', 'a-', 'a.b', 'a_b', 'Ä', 'A', '10', 'x'.repeat(64), 'a b', 'a\n'])(
  '%j is none',
  (name) => {
    expect(isHostname(name)).toBe(false)
  },
)
