import { expect, test } from 'vitest'
import { POWER_ACTS } from '#shared/rules/instance/instance-power.ts'
import { ownRefusal } from './own-refusal.ts'

const refused = (server: Parameters<typeof ownRefusal>[0], audience: 'admin' | 'client') =>
  POWER_ACTS.filter((act) => ownRefusal(server, act, audience) !== undefined)

test('a server whose time is over is not switched on by its client', () => {
  expect(refused({ term: 'expired' }, 'client')).toEqual(['start', 'restart'])
  expect(refused({ term: 'expired' }, 'admin')).toEqual([])
  expect(refused({ term: 'assigned' }, 'client')).toEqual([])
})

test('a suspended server is not switched on by anybody’s button, and says why', () => {
  const suspended = { reason: 'Spam' }
  for (const audience of ['admin', 'client'] as const) {
    expect(refused({ suspended }, audience)).toEqual(['start', 'restart'])
  }
  expect(ownRefusal({ suspended }, 'start', 'client')?.reason).toBe('suspended. Spam')
})
