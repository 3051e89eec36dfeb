import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { ACCESS, type Access, type Route } from '#shared/api/parts/route.ts'
import { testApp } from '../src/server/testing/test-app.ts'

const ACTORS = [
  'visitor',
  'client',
  'other client',
  'inactive client',
  'simulating admin',
  'admin',
  'inactive admin',
  'unknown role',
  'expired session',
  'revoked session',
  'forged cookie',
] as const
type ActorName = (typeof ACTORS)[number]

/** Actors without a valid session: treated like a visitor. */
const WITHOUT_SESSION: ActorName[] = [
  'visitor',
  'inactive client',
  'inactive admin',
  'expired session',
  'revoked session',
  'forged cookie',
]

/** What the guard must answer: 401, 403, or let the call through. */
const EXPECTED: Record<Access, Partial<Record<ActorName, 'in' | 403>>> = {
  public: Object.fromEntries(ACTORS.map((name) => [name, 'in'])),
  'signed-in': {
    client: 'in',
    'other client': 'in',
    'simulating admin': 'in',
    admin: 'in',
    'unknown role': 403,
  },
  'in-person': {
    client: 'in',
    'other client': 'in',
    'simulating admin': 403,
    admin: 'in',
    'unknown role': 403,
  },
  client: {
    client: 'in',
    'other client': 'in',
    'simulating admin': 'in',
    admin: 403,
    'unknown role': 403,
  },
  'client-in-person': {
    client: 'in',
    'other client': 'in',
    'simulating admin': 403,
    admin: 403,
    'unknown role': 403,
  },
  admin: {
    client: 403,
    'other client': 403,
    'simulating admin': 403,
    admin: 'in',
    'unknown role': 403,
  },
  simulating: {
    client: 403,
    'other client': 403,
    'simulating admin': 'in',
    admin: 403,
    'unknown role': 403,
  },
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
  const cookies = await makeActors(t)

  test('the table of expectations has no gap', () => {
    for (const access of ACCESS) {
      for (const actor of ACTORS) {
        const expected = EXPECTED[access][actor]
        expect(expected ?? (WITHOUT_SESSION.includes(actor) ? 401 : undefined)).toBeDefined()
      }
    }
  })

  test.each(routes)('$id', async ({ id, route }) => {
    for (const actor of ACTORS) {
      const cookie = await cookies[actor]()
      const status = await statusOf(t, route, cookie)
      await forgetUnknownRole(t)
      const expected = EXPECTED[route.access][actor] ?? 401
      const context = `${id} as ${actor}`
      if (expected === 'in') expect(LET_IN, `${context}: ${status}`).toContain(status)
      else expect(status, context).toBe(expected)
    }
  })
})

/** No row may have a role of its own for longer than its call: lists would refuse to show it. */
const forgetUnknownRole = ({ db }: Awaited<ReturnType<typeof testApp>>) =>
  db.execute(sql`update users set role = 'client' where role = 'owner'`)

type Cookies = Record<ActorName, () => Promise<string | undefined>>

async function makeActors(t: Awaited<ReturnType<typeof testApp>>): Promise<Cookies> {
  const { db, make, sessions, deps } = t
  const client = await make.client()
  const other = await make.client()
  const admin = await make.admin()
  const idle = { client: await make.client(), admin: await make.admin() }
  await db.execute(sql`alter table users drop constraint users_role`)
  const stranger = await make.client()
  const start = async (user: { id: number; role: string }) =>
    (await db.transaction((tx) => sessions.start(tx, user, 'test'))).token
  const inactive = { client: await start(idle.client), admin: await start(idle.admin) }
  await db.execute(
    sql`update users set is_active = false where id in (${idle.client.id}, ${idle.admin.id})`,
  )
  const idOf = async (token: string) => {
    const actor = await sessions.resolve(token)
    if (!actor) throw new Error('no session')
    return actor.sessionId
  }
  const expired = await start(client)
  // Only this one: the sessions of inactive accounts must be refused for being theirs.
  await db.execute(
    sql`update sessions set expires_at = now() - interval '1 second' where id = ${await idOf(expired)}`,
  )
  const revoked = await start(client)
  const revokedId = await idOf(revoked)
  await db.transaction((tx) => sessions.end(tx, revokedId))

  // A call may end its own session (logout does): each call gets a fresh one.
  return {
    visitor: async () => undefined,
    client: () => start(client),
    'other client': () => start(other),
    'inactive client': async () => inactive.client,
    'simulating admin': async () => {
      const sessionId = await idOf(await start(admin))
      const simulated = { userId: client.id }
      return (await deps.db.transaction((tx) => sessions.rotate(tx, sessionId, simulated))).token
    },
    admin: () => start(admin),
    'inactive admin': async () => inactive.admin,
    'unknown role': async () => {
      await db.execute(sql`update users set role = 'owner' where id = ${stranger.id}`)
      return await start(stranger)
    },
    'expired session': async () => expired,
    'revoked session': async () => revoked,
    'forged cookie': async () => 'eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.',
  }
}

/** The status of a call with no body and unused ids: past the guard it changes nothing. */
async function statusOf(
  t: Awaited<ReturnType<typeof testApp>>,
  route: Route,
  cookie: string | undefined,
): Promise<number> {
  const isStream = route.path === api.events.stream.path
  const reply = await t.app.inject({
    method: route.method,
    url: route.path.replaceAll(/:\w+/g, '2000000000'),
    payloadAsStream: isStream,
    ...(cookie === undefined ? {} : { cookies: { hushbox: cookie } }),
  })
  if (isStream) reply.stream().destroy()
  return reply.statusCode
}
