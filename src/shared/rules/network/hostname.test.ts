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

test.each(['no', 'on', 'null', '2026-11-19', '0x1f', '0b10'])(
  '%s is refused: a guest reads it as something else than a text',
  (name) => {
    expect(isHostname(name)).toBe(false)
  },
)

test.each(['nobody', 'on-1', '0x1g', '2026-a'])('%s is a name', (name) => {
  expect(isHostname(name)).toBe(true)
})
