import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Access, Route } from '#shared/api/parts/route.ts'
import { KEY_SCOPES, type KeyScope } from '#shared/rules/people/key-scopes.ts'
import type { Duty } from '#shared/rules/people/roles.ts'
import { type TestApp, testApp } from '../src/server/testing/test-app.ts'

/** Written down once more: a mistake in the product's own table must not pass unseen. */
const STAFF = {
  admin: ['look', 'help', 'money', 'run', 'own'],
  operator: ['look', 'help', 'money', 'run'],
  support: ['look', 'help'],
  billing: ['look', 'money'],
  viewer: ['look'],
} satisfies Record<string, Duty[]>
type StaffRole = keyof typeof STAFF
const STAFF_ROLES = Object.keys(STAFF) as StaffRole[]

const CLIENTS = ['client', 'other client'] as const
const SIMULATING = ['simulating admin', 'simulating operator', 'simulating support'] as const
/** Actors without a valid session or key: treated like a visitor. */
const NOBODY = [
  'visitor',
  'inactive client',
  'inactive admin',
  'expired session',
  'revoked session',
  'forged cookie',
  'expired key',
  'revoked key',
  'forged key',
  'key of an inactive client',
] as const

type Kind =
  | { is: 'nobody' }
  | { is: 'client' }
  | { is: 'staff'; role: StaffRole }
  | { is: 'simulating'; role: StaffRole }
  | { is: 'unknown' }
  | { is: 'key'; scopes: readonly KeyScope[] }

/** Everybody who can call, and what they are. */
const ACTORS: Record<string, Kind> = {
  ...Object.fromEntries(NOBODY.map((name) => [name, { is: 'nobody' } as const])),
  ...Object.fromEntries(CLIENTS.map((name) => [name, { is: 'client' } as const])),
  ...Object.fromEntries(STAFF_ROLES.map((role) => [role, { is: 'staff', role } as const])),
  'simulating admin': { is: 'simulating', role: 'admin' },
  'simulating operator': { is: 'simulating', role: 'operator' },
  'simulating support': { is: 'simulating', role: 'support' },
  'unknown role': { is: 'unknown' },
  ...Object.fromEntries(
    KEY_SCOPES.map((scope) => [`key with ${scope}`, { is: 'key', scopes: [scope] } as const]),
  ),
  'key with every scope': { is: 'key', scopes: KEY_SCOPES },
}

type Answer = 'in' | 401 | 403

/** By what a route says of clients, of the staff in person, and of the staff who simulate. */
const EXPECTED: Record<
  Exclude<Access, 'public'>,
  Record<'client' | 'staff' | 'simulating', 'in' | 403>
> = {
  'signed-in': { client: 'in', staff: 'in', simulating: 'in' },
  'in-person': { client: 'in', staff: 'in', simulating: 403 },
  client: { client: 'in', staff: 403, simulating: 'in' },
  'client-in-person': { client: 'in', staff: 403, simulating: 403 },
  admin: { client: 403, staff: 'in', simulating: 403 },
  simulating: { client: 403, staff: 403, simulating: 'in' },
}

/** What the guard must answer: 401, 403, or let the call through. */
function expected({ access, staff = 'own', scope }: Route, who: Kind): Answer {
  if (access === 'public') return 'in'
  switch (who.is) {
    case 'nobody':
      return 401
    case 'unknown':
      return 403
    case 'client':
      return EXPECTED[access].client
    case 'staff':
    case 'simulating': {
      const duties: readonly Duty[] = STAFF[who.role]
      return duties.includes(staff) ? EXPECTED[access][who.is] : 403
    }
    case 'key':
      if (scope === undefined || (scope !== 'any' && !who.scopes.includes(scope))) return 403
      return EXPECTED[access].client
  }
}

/** Answers of a handler to a call without a body and with ids that do not exist. A 5xx is a fault. */
const LET_IN = [200, 201, 202, 204, 400, 404, 409, 422]

const routes = Object.entries(api).flatMap(([noun, group]) =>
  Object.entries(group).map(([name, route]: [string, Route]) => ({
    id: `${noun}.${name}`,
    route,
  })),
)

describe('every route × every kind of actor', async () => {
  const t = await testApp()
  const credentials = await makeActors(t)

  test('has a way in for every actor, and at least 2 000 cells', () => {
    expect(Object.keys(credentials).toSorted()).toEqual(Object.keys(ACTORS).toSorted())
    expect(routes.length * Object.keys(ACTORS).length).toBeGreaterThan(2000)
  })

  test.each(routes)('$id', async ({ id, route }) => {
    const ask = async (actor: string, kind: Kind) => {
      const status = await statusOf(t, route, await credentials[actor]?.(route))
      const answer = expected(route, kind)
      const context = `${id} as ${actor}: ${status}`
      if (answer === 'in') expect(LET_IN, context).toContain(status)
      else expect(status, context).toBe(answer)
    }
    const { 'unknown role': stranger, ...known } = ACTORS
    // Reads do not disturb each other; a write may end the session of the next actor.
    if (route.method === 'GET') {
      await Promise.all(Object.entries(known).map(([actor, kind]) => ask(actor, kind)))
    } else {
      for (const [actor, kind] of Object.entries(known)) await ask(actor, kind)
    }
    // No row may have a role of its own for longer than its call: lists would refuse to show it.
    if (stranger) await ask('unknown role', stranger)
    await t.db.execute(sql`update users set role = 'client' where role = 'auditor'`)
  })
})

/** A cookie, or the header of a key. */
type Credential = { cookies: { hushbox: string } } | { headers: { authorization: string } }
type Credentials = Record<string, (route: Route) => Promise<Credential | undefined>>

async function makeActors(t: TestApp): Promise<Credentials> {
  return { ...(await makeSessions(t)), ...(await makeKeys(t)) }
}

const byCookie = (token: string): Credential => ({ cookies: { hushbox: token } })
const byKey = (key: string): Credential => ({ headers: { authorization: `Bearer ${key}` } })

async function makeSessions(t: TestApp): Promise<Credentials> {
  const { db, make, sessions } = t
  const client = await make.client()
  const other = await make.client()
  const idle = { client: await make.client(), admin: await make.admin() }
  await db.execute(sql`alter table users drop constraint users_role`)
  const stranger = await make.client()
  const start = async (user: { id: number; role: string }) =>
    (await db.transaction((tx) => sessions.start(tx, user, 'test'))).token
  const idOf = async (token: string) => {
    const actor = await sessions.resolve(token)
    if (!actor) throw new Error('no session')
    return actor.sessionId
  }
  const inactive = { client: await start(idle.client), admin: await start(idle.admin) }
  await db.execute(
    sql`update users set is_active = false where id in (${idle.client.id}, ${idle.admin.id})`,
  )
  const expired = await start(client)
  // Only this one: the sessions of inactive accounts must be refused for being theirs.
  await db.execute(
    sql`update sessions set expires_at = now() - interval '1 second' where id = ${await idOf(expired)}`,
  )
  const revoked = await start(client)
  const revokedId = await idOf(revoked)
  await db.transaction((tx) => sessions.end(tx, revokedId))

  /** A read keeps its session; a write may end it (logout does), so each gets a fresh one. */
  const lasting = (begin: () => Promise<string>) => {
    let kept: Promise<string> | undefined
    return async ({ method }: Route) => {
      if (method !== 'GET') {
        kept = undefined
        return byCookie(await begin())
      }
      kept ??= begin()
      return byCookie(await kept)
    }
  }
  const staff = await Promise.all(
    STAFF_ROLES.map(async (role) => [role, await make.admin({ role })] as const),
  )
  const simulations = staff.map(([role, person]) => [
    `simulating ${role}`,
    lasting(async () => {
      const sessionId = await idOf(await start(person))
      const simulated = { userId: client.id }
      return (await db.transaction((tx) => sessions.rotate(tx, sessionId, simulated))).token
    }),
  ])
  const wanted: readonly string[] = SIMULATING
  return {
    visitor: async () => undefined,
    client: lasting(() => start(client)),
    'other client': lasting(() => start(other)),
    'inactive client': async () => byCookie(inactive.client),
    'inactive admin': async () => byCookie(inactive.admin),
    ...Object.fromEntries(staff.map(([role, person]) => [role, lasting(() => start(person))])),
    ...Object.fromEntries(simulations.filter(([name]) => wanted.includes(String(name)))),
    'unknown role': async () => {
      await db.execute(sql`update users set role = 'auditor' where id = ${stranger.id}`)
      return byCookie(await start(stranger))
    },
    'expired session': async () => byCookie(expired),
    'revoked session': async () => byCookie(revoked),
    'forged cookie': async () => byCookie('eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.'),
  }
}

async function makeKeys(t: TestApp): Promise<Credentials> {
  const keyOf = async (who: { id: number; role: string }, scopes: readonly KeyScope[]) =>
    await t.as(who).call(api.apiKeys.create, { body: { name: 'matrix', scopes: [...scopes] } })
  const client = await t.make.client()
  const idle = await t.make.client()
  const [expired, revoked] = [await keyOf(client, KEY_SCOPES), await keyOf(client, KEY_SCOPES)]
  const ofIdle = await keyOf(idle, KEY_SCOPES)
  await t.db.execute(
    sql`update api_keys set expires_at = now() - interval '1 second' where id = ${expired.id}`,
  )
  await t.as(client).call(api.apiKeys.revoke, { params: { id: revoked.id } })
  await t.db.execute(sql`update users set is_active = false where id = ${idle.id}`)
  const scoped = await Promise.all(
    KEY_SCOPES.map(async (scope) => {
      const { key } = await keyOf(client, [scope])
      return [`key with ${scope}`, async () => byKey(key)] as const
    }),
  )
  const every = await keyOf(client, KEY_SCOPES)
  return {
    ...Object.fromEntries(scoped),
    'key with every scope': async () => byKey(every.key),
    'expired key': async () => byKey(expired.key),
    'revoked key': async () => byKey(revoked.key),
    'forged key': async () => byKey(`hbx_${'A'.repeat(43)}`),
    'key of an inactive client': async () => byKey(ofIdle.key),
  }
}

/** The status of a call with no body and unused ids: past the guard it changes nothing. */
async function statusOf(
  t: TestApp,
  route: Route,
  credential: Credential | undefined,
): Promise<number> {
  const isStream = route.path === api.events.stream.path
  const reply = await t.app.inject({
    method: route.method,
    url: route.path.replaceAll(/:\w+/g, '2000000000'),
    payloadAsStream: isStream,
    ...credential,
  })
  if (isStream) reply.stream().destroy()
  return reply.statusCode
}
