import { describe, expect, test } from 'vitest'
import {
  canPower,
  POWER_ACTS,
  type PowerAct,
  type PowerFacts,
  powerRefusal,
} from './instance-power.ts'

/** state → start, stop, shutdown, restart */
const TABLE: Record<string, [boolean, boolean, boolean, boolean]> = {
  running: [false, true, true, true],
  stopped: [true, false, false, false],
  suspended: [true, true, false, false],
  paused: [false, true, false, false],
  error: [false, true, false, false],
  unknown: [true, true, true, true],
  missing: [false, false, false, false],
  busy: [false, false, false, false],
  starting: [false, false, false, false],
  stopping: [false, true, false, false],
  restarting: [false, true, false, false],
  creating: [false, false, false, false],
  deleting: [false, false, false, false],
  reinstalling: [false, false, false, false],
  'something new': [false, false, false, false],
}

test.each(Object.entries(TABLE))('%s', (status, expected) => {
  const power = canPower(status)
  expect(POWER_ACTS.map((act) => power[act])).toEqual(expected)
  for (const act of POWER_ACTS) expect(power.refusal(act) === undefined).toBe(power[act])
})

describe('a refusal', () => {
  const cases: [string, PowerAct, string, string][] = [
    ['running', 'start', 'INVALID_STATE', 'The instance is already running.'],
    ['stopped', 'stop', 'INVALID_STATE', 'The instance is already stopped.'],
    ['stopped', 'restart', 'INVALID_STATE', 'The instance is not running.'],
    ['paused', 'start', 'INVALID_STATE', 'The instance is paused: stop it first.'],
    ['starting', 'stop', 'LOCKED', 'Another action is still running on this instance.'],
    ['stopping', 'shutdown', 'LOCKED', 'Another action is still running on this instance.'],
    ['restarting', 'start', 'LOCKED', 'Another action is still running on this instance.'],
    ['missing', 'start', 'VM_MISSING', 'The cluster no longer has this VM.'],
  ]
  test.each(cases)('%s × %s is %s', (status, act, code, reason) => {
    expect(canPower(status).refusal(act)).toEqual({ code, reason })
  })
})

describe('what a person may switch', () => {
  const refused = (given: Partial<PowerFacts>) => {
    const facts: PowerFacts = { isOwner: true, status: 'unknown', ...given }
    return POWER_ACTS.filter((act) => powerRefusal(facts, act) !== undefined)
  }

  test('a server that is over is switched on by an operator only', () => {
    for (const term of ['expired', 'cancelled']) {
      expect(refused({ term })).toEqual(['start', 'restart'])
      expect(refused({ term, isOwner: false })).toEqual([])
    }
    expect(refused({ term: 'assigned' })).toEqual([])
    expect(refused({ term: null })).toEqual([])
  })

  test('a suspended server is switched on by nobody, and says why', () => {
    const suspended = { reason: 'Spam' }
    for (const isOwner of [true, false]) {
      expect(refused({ suspended, isOwner })).toEqual(['start', 'restart'])
    }
    expect(powerRefusal({ isOwner: true, status: 'stopped', suspended }, 'start')).toBe(
      'This server is suspended: Spam',
    )
  })

  test('the state refuses what nothing else refuses', () => {
    const facts: PowerFacts = { isOwner: true, status: 'running', term: 'expired' }
    expect(powerRefusal(facts, 'shutdown')).toBeUndefined()
    expect(powerRefusal({ ...facts, term: null }, 'start')).toBe('The instance is already running.')
  })
})
