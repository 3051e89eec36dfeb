import { describe, expect, test } from 'vitest'
import { possibleActs, SERVER_ACTS, type ServerFacts } from './server-acts.ts'

const facts = (given: Partial<ServerFacts> = {}): ServerFacts => ({
  audience: 'owner',
  status: 'running',
  term: 'assigned',
  isSuspended: false,
  suspendReason: '',
  hasPassword: true,
  isOurs: true,
  offersRenewal: true,
  isFree: false,
  isLoginPending: false,
  isReplacingLogin: false,
  hasOpenRenewal: false,
  hasSnapshots: false,
  hasBackups: false,
  cd: null,
  renewsItself: false,
  ...given,
})

const allowed = (given: Partial<ServerFacts>) => {
  const acts = possibleActs(facts(given))
  return SERVER_ACTS.filter((act) => acts[act].allowed)
}
const why = (act: (typeof SERVER_ACTS)[number], given: Partial<ServerFacts>) =>
  possibleActs(facts(given))[act].why

describe('what can be done with a server', () => {
  test.each<[string, Partial<ServerFacts>, string]>([
    [
      'running',
      {},
      'stop shutdown restart console hostname reveal password reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall renew changePackage transfer end',
    ],
    [
      'off',
      { status: 'stopped' },
      'start hostname reveal password reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall renew changePackage transfer end',
    ],
    ['being reinstalled', { status: 'reinstalling' }, 'console reveal schedule renew end'],
    ['getting a new password', { status: 'updating' }, 'console reveal schedule renew end'],
    [
      'paused',
      { status: 'paused' },
      'stop console hostname reveal reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall renew changePackage transfer end',
    ],
    [
      'being started',
      { status: 'starting' },
      'console hostname reveal schedule firewall renew transfer end',
    ],
    ['being made', { status: 'creating', term: 'pending' }, 'end'],
    [
      'suspended',
      { status: 'stopped', isSuspended: true, suspendReason: 'Abuse' },
      'hostname reveal deleteSnapshot deleteBackup schedule renew end',
    ],
    [
      'expired',
      { status: 'stopped', term: 'expired' },
      'hostname reveal deleteSnapshot deleteBackup renew end',
    ],
    ['ended', { status: 'stopped', term: 'cancelled' }, 'reveal deleteSnapshot deleteBackup'],
    ['gone from its cluster', { status: 'missing' }, 'reveal renew end'],
    [
      'unknown to us',
      { status: 'unknown' },
      'start stop shutdown restart console hostname reveal password reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall renew changePackage transfer end',
    ],
    [
      'not made here',
      { isOurs: false },
      'stop shutdown restart console reveal deleteSnapshot deleteBackup renew end',
    ],
    [
      'free',
      { isFree: true },
      'stop shutdown restart console hostname reveal password reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall end',
    ],
    [
      'without a password',
      { hasPassword: false },
      'stop shutdown restart console hostname reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall renew changePackage transfer end',
    ],
    [
      'getting a new login',
      { isLoginPending: true, isReplacingLogin: true },
      'stop shutdown restart console hostname deleteSnapshot deleteBackup schedule firewall renew end',
    ],
    [
      'still without its new login',
      { isLoginPending: true },
      'stop shutdown restart console hostname reinstall deleteSnapshot deleteBackup schedule firewall renew end',
    ],
  ])('one that is %s, by its owner', (_, given, expected) => {
    expect(allowed(given).join(' ')).toBe(expected)
  })

  test.each<[string, Partial<ServerFacts>, string]>([
    [
      'running',
      {},
      'stop shutdown restart console hostname reveal password reinstall snapshot rollback deleteSnapshot backup restore deleteBackup schedule iso rescue firewall end suspend',
    ],
    [
      'suspended',
      { status: 'stopped', isSuspended: true },
      'hostname reveal deleteSnapshot deleteBackup schedule end resume',
    ],
    [
      'expired',
      { status: 'stopped', term: 'expired' },
      'start hostname reveal deleteSnapshot deleteBackup end suspend',
    ],
    [
      'without a client',
      { term: null, hasPassword: false },
      'stop shutdown restart console hostname',
    ],
  ])('one that is %s, by an operator', (_, given, expected) => {
    expect(allowed({ audience: 'operator', ...given }).join(' ')).toBe(expected)
  })

  test('what is refused says why', () => {
    expect(why('start', { term: 'expired', status: 'stopped' })).toBe(
      'This server has expired. Renew it to switch it on.',
    )
    expect(why('restart', { isSuspended: true, suspendReason: 'Abuse' })).toBe(
      'This server is suspended: Abuse',
    )
    expect(why('renew', { offersRenewal: false })).toBe(
      'You can renew it from 7 days before its end.',
    )
    expect(why('reveal', { isLoginPending: true })).toBe('The login is being replaced.')
    expect(why('changePackage', { audience: 'operator' })).toBe(
      'Only its client can change the package of a server.',
    )
    expect(why('changePackage', { isFree: true })).toContain('A free trial ends with its package.')
    expect(why('changePackage', { renewsItself: true })).toContain('renews itself by card')
    expect(why('changePackage', { hasOpenRenewal: true })).toContain('is not paid yet')
    expect(why('transfer', { audience: 'operator' })).toBe(
      'Only its client can hand a server over.',
    )
    expect(why('snapshot', { isSuspended: true, suspendReason: 'Abuse' })).toBe(
      'This server is suspended: Abuse',
    )
    expect(why('rollback', { term: 'expired', status: 'stopped' })).toBe(
      'This server has expired. Renew it to roll it back.',
    )
    expect(why('snapshot', { isReplacingLogin: true })).toBe(
      'The login is being replaced. Take the snapshot when that is done.',
    )
    expect(why('deleteSnapshot', { status: 'updating' })).toBe(
      'Another action is still running on this instance.',
    )
    expect(why('transfer', { isFree: true })).toBe('A free trial cannot be handed over.')
    for (const act of SERVER_ACTS) {
      const { allowed: is, why: reason } = possibleActs(
        facts({ status: 'creating', term: 'pending' }),
      )[act]
      expect(is).toBe(reason === null)
    }
  })
})
