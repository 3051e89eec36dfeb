import { expect, test } from 'vitest'
import { type MadeWith, notAppliedByHand } from './given-by-hand.ts'

type Case = [Parameters<typeof notAppliedByHand>[0], MadeWith[]]

test.each<Case>([
  [{}, []],
  [{ hostname: null, sshKeys: [], userData: null }, []],
  [{ hostname: 'mx-1' }, ['hostname']],
  [{ sshKeys: ['ssh-ed25519 AAAA'] }, ['sshKeys']],
  [{ userData: { bytes: 0 } }, ['userData']],
  [{ hostname: 'mx-1', sshKeys: [1], userData: {} }, ['hostname', 'sshKeys', 'userData']],
])('of %j a VM given by hand does not get %j', (chosen, expected) => {
  expect(notAppliedByHand(chosen)).toEqual(expected)
})
