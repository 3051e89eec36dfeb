import { expect, test } from 'vitest'
import { keysKept } from './keys-kept.ts'

test('an operator reads which keys of the client the new system gets', () => {
  expect(keysKept(0, 0)).toBe('No SSH key of its client is on this server.')
  expect(keysKept(1, 1)).toBe('The SSH key of its client is put on the new system again.')
  expect(keysKept(2, 2)).toBe('The SSH keys of its client are put on the new system again.')
})

test('keys that are not put on it again are not passed over', () => {
  expect(keysKept(0, 2)).toBe('No SSH key of its client is put on the new system.')
  expect(keysKept(1, 3)).toBe(
    'Of the 3 SSH keys of its client that are on it now, 1 is put on the new system: the client has since removed the others.',
  )
})
