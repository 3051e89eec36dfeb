import { describe, expect, test } from 'vitest'
import { type TransferFacts, transferRefusal } from './transfer.ts'

const FACTS: TransferFacts = {
  status: 'running',
  term: 'assigned',
  isSuspended: false,
  isOurs: true,
  isFree: false,
  isLoginPending: false,
  hasOpenRenewal: false,
  hasSnapshots: false,
  hasBackups: false,
  cd: null,
  renewsItself: false,
}

describe('handing a server to another account', () => {
  test.each(['running', 'stopped', 'unknown', 'starting', 'restarting'])(
    'is possible while it is %s',
    (status) => {
      expect(transferRefusal({ ...FACTS, status })).toBeUndefined()
    },
  )

  test.each<[string, Partial<TransferFacts>, string]>([
    ['it has no client', { term: null }, 'This server has no client.'],
    ['it is being made', { term: 'pending' }, 'The server is still being made.'],
    ['it has expired', { term: 'expired' }, 'This server has expired. Renew it to hand it over.'],
    ['it has ended', { term: 'cancelled' }, 'This server has ended.'],
    ['it is a free trial', { isFree: true }, 'A free trial cannot be handed over.'],
    [
      'it was not made here',
      { isOurs: false },
      'This server was not made here, so its login cannot be replaced. Ask the operator.',
    ],
    ['it is suspended', { isSuspended: true }, 'A suspended server cannot be handed over.'],
    ['its VM is being made', { status: 'creating' }, 'The server is still being made.'],
    ['its VM is being deleted', { status: 'deleting' }, 'It is being deleted.'],
    ['its VM is gone', { status: 'missing' }, 'The cluster no longer has this VM.'],
    [
      'it is being reinstalled',
      { status: 'reinstalling' },
      'The server is being reinstalled. Hand it over when that is done.',
    ],
    [
      'the login of the last transfer is not in force yet',
      { isLoginPending: true },
      'Its login is still being replaced. Try again in some minutes.',
    ],
    [
      'it has snapshots',
      { hasSnapshots: true },
      'This server has snapshots, which hold your data. Delete them, then hand it over.',
    ],
    [
      'it has backups',
      { hasBackups: true },
      'This server has backups, which hold your data. Delete them, then hand it over.',
    ],
    [
      'a card is charged for it',
      { renewsItself: true },
      'This server renews itself by card. Turn that off in Billing, then hand it over.',
    ],
    [
      'a renewal is not paid',
      { hasOpenRenewal: true },
      'A renewal of this server is not paid yet. Pay or cancel it in Billing first.',
    ],
  ])('is refused while %s', (_, given, sentence) => {
    expect(transferRefusal({ ...FACTS, ...given })).toBe(sentence)
  })
})
