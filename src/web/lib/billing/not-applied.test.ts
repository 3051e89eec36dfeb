import { expect, test } from 'vitest'
import type { MadeWith } from '#shared/rules/token/given-by-hand.ts'
import { notAppliedWords } from './not-applied.ts'

const told: [MadeWith[], string | undefined][] = [
  [[], undefined],
  [['userData'], 'The server was set up by hand. Not applied automatically: the start-up script.'],
  [
    ['hostname', 'sshKeys', 'userData'],
    'The server was set up by hand. Not applied automatically: the hostname, the SSH keys, and the start-up script. It has a password.',
  ],
]

test.each(told)('%j is told', (notApplied, expected) => {
  expect(notAppliedWords(notApplied)).toBe(expected)
})
