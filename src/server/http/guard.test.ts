import { describe, expect, test } from 'vitest'
import type { Access } from '#shared/api/parts/route.ts'
import type { Actor } from '../sessions/actor.ts'
import { isAdmin } from '../sessions/actor.ts'
import { checkAccess } from './guard.ts'

const BOSS = { id: 9, email: null }
const actorOf = (role: string, admin?: typeof BOSS): Actor => ({
  sessionId: 1,
  user: { id: 1, role } as Actor['user'],
  admin,
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

const isLetIn = (access: Access, caller: Caller): boolean => {
  try {
    checkAccess(access, ACTORS[caller])
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
    expect(EVERYONE.filter((caller) => isLetIn(access, caller))).toEqual(welcome)
  })
})

test('an administrator is one who does not simulate anybody', () => {
  const admins = Object.entries(ACTORS).filter(([, actor]) => actor && isAdmin(actor))
  expect(admins.map(([caller]) => caller)).toEqual(['admin'])
})
