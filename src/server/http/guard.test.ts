import { describe, expect, test } from 'vitest'
import type { Access } from '#shared/api/parts/route.ts'
import { DUTIES, type Duty, hasDuty, ROLES } from '#shared/rules/people/roles.ts'
import type { Actor } from '../sessions/actor.ts'
import { isAdmin } from '../sessions/actor.ts'
import { checkAccess } from './guard.ts'

const BOSS = { id: 9, email: null, role: 'admin' } as const
const HELPER = { id: 8, email: null, role: 'support' } as const
const actorOf = (role: string, admin?: Actor['admin']): Actor => ({
  sessionId: 1,
  user: { id: 1, role } as Actor['user'],
  admin,
  secondFactor: undefined,
})

const ACTORS = {
  visitor: undefined,
  client: actorOf('client'),
  admin: actorOf('admin'),
  'an admin who simulates a client': actorOf('client', BOSS),
  // No session leads here; the guard does not rely on that.
  'an admin who simulates an admin': actorOf('admin', BOSS),
  'somebody with an unknown role': actorOf('auditor'),
} satisfies Record<string, Actor | undefined>
type Caller = keyof typeof ACTORS

const isLetIn = (access: Access, actor: Actor | undefined, staff?: Duty): boolean => {
  try {
    checkAccess({ access, ...(staff && { staff }) }, actor)
    return true
  } catch {
    return false
  }
}

describe('a route', () => {
  const EVERYONE = Object.keys(ACTORS) as Caller[]
  const KNOWN = EVERYONE.filter(
    (caller) => caller !== 'visitor' && caller !== 'somebody with an unknown role',
  )
  const CASES: [Access, Caller[]][] = [
    ['public', EVERYONE],
    ['signed-in', KNOWN],
    ['in-person', ['client', 'admin']],
    ['client', ['client', 'an admin who simulates a client']],
    ['client-in-person', ['client']],
    ['admin', ['admin']],
    ['simulating', ['an admin who simulates a client', 'an admin who simulates an admin']],
  ]
  test.each(CASES)('for %s lets in %j and no other caller', (access, welcome) => {
    expect(EVERYONE.filter((caller) => isLetIn(access, ACTORS[caller]))).toEqual(welcome)
  })
})

describe('of the staff, a route', () => {
  const STAFF = ROLES.filter((role) => role !== 'client')

  test('lets in only the owner if it names no duty', () => {
    for (const access of ['signed-in', 'in-person', 'admin'] as const) {
      expect(STAFF.filter((role) => isLetIn(access, actorOf(role)))).toEqual(['admin'])
    }
  })

  test.each(DUTIES)('for %s lets in those with that duty', (duty) => {
    const welcome = STAFF.filter((role) => hasDuty(role, duty))
    for (const access of ['signed-in', 'in-person', 'admin'] as const) {
      expect(STAFF.filter((role) => isLetIn(access, actorOf(role), duty))).toEqual(welcome)
    }
  })

  test('asks a simulation for the duty of the person behind it', () => {
    const simulating = actorOf('client', HELPER)
    const opened = DUTIES.filter((duty) => isLetIn('signed-in', simulating, duty))
    expect(opened).toEqual(['look', 'help'])
    expect(isLetIn('client', simulating)).toBe(false)
    expect(isLetIn('client', simulating, 'help')).toBe(true)
  })

  test('does not ask a client for a duty', () => {
    expect(isLetIn('signed-in', actorOf('client'))).toBe(true)
  })
})

test('an administrator is one who does not simulate anybody', () => {
  const admins = Object.entries(ACTORS).filter(([, actor]) => actor && isAdmin(actor))
  expect(admins.map(([caller]) => caller)).toEqual(['admin'])
})
