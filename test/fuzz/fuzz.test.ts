import { and, isNull } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts'
import { instances } from '../../src/server/db/schema/stock.ts'
import { seed } from '../../src/server/first-start/seed.ts'
import { systemRandom } from '../../src/server/lib/random.ts'
import { type SimApp, testApp } from '../../src/server/testing/test-app.ts'
import { KINDS, type Request, requestsTo } from './requests.ts'

const isLong = process.env.LONG === '1'
/** Requests of each kind, for each route and each role. */
const REQUESTS = isLong ? 23 : 2
/** Fixed in `npm test`; a new one each night. FUZZ_SEED repeats a run. */
const SEED = Number(process.env.FUZZ_SEED ?? (isLong ? Date.now() : 1)) % 2 ** 31
const HANG_MS = 2000

const ROLES = ['visitor', 'client', 'admin', 'simulating'] as const
type RoleName = (typeof ROLES)[number]

const routes = Object.entries(api).flatMap(([noun, group]) =>
  Object.entries(group).map(([name, route]: [string, Route]) => ({ id: `${noun}.${name}`, route })),
)
/** Routes that remove what the others need come last. */
const weight = ({ id, route }: (typeof routes)[number]) =>
  Number(route.method === 'DELETE') + 2 * Number(id.startsWith('clusters.'))
routes.sort((a, b) => weight(a) - weight(b))

/** Intended refusals with a 5xx status. */
const ALLOWED: ErrorCode[] = ['CLUSTER_UNAVAILABLE', 'DNS_UNAVAILABLE']
const codes = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]
const Refusal = z.strictObject({
  code: z.enum(codes),
  message: z.string().min(1),
  details: z.unknown().optional(),
})

describe(`every route × every role, seed ${SEED}`, async () => {
  const t = await testApp({ sim: true, withJobs: true })
  await seed(t.db, { adminEmail: 'first@example.test', adminPassword: 'long enough' }, systemRandom)
  for (let n = 0; n < 12; n += 1) await t.make.token({ monthlyPriceCents: n % 3 })
  const cookieOf = await actors(t)
  let sent = 0
  const succeeded = new Set<string>()

  test.each(routes)('$id', async ({ id, route }) => {
    for (const role of ROLES) {
      for (const kind of KINDS) {
        const requests = fc.sample(requestsTo(route, kind), {
          numRuns: REQUESTS,
          seed: SEED + sent,
        })
        for (const request of requests) {
          const problem = await judge(route, role, request)
          const shown = JSON.stringify(request).slice(0, 600)
          expect(problem, `${id} as ${role}, ${kind}: ${shown}`).toBeUndefined()
        }
      }
    }
  })

  test('the requests were many, and most routes also received valid ones', () => {
    expect(sent).toBeGreaterThanOrEqual(isLong ? 20_000 : 2000)
    expect(succeeded.size).toBeGreaterThan(routes.length / 2)
  })

  /** What is wrong with the answer, if anything. */
  async function judge(
    route: Route,
    role: RoleName,
    request: Request,
  ): Promise<string | undefined> {
    const first = await ask(route, role, request)
    // A busy machine may be slow once; a route that hangs does so again.
    const answer = first === 'hangs' ? await ask(route, role, request) : first
    if (answer === 'hangs') return `no answer in ${HANG_MS} ms`
    const { statusCode, body, headers } = answer
    if (statusCode < 300) {
      succeeded.add(`${route.method} ${route.path}`)
      return judgeSuccess(route, statusCode, body)
    }
    if (!String(headers['content-type']).startsWith('application/json')) return `not JSON: ${body}`
    const refusal = Refusal.safeParse(JSON.parse(body))
    if (!refusal.success) return `a refusal of no known shape: ${body}`
    const { code } = refusal.data
    if (ERROR_STATUS[code] !== statusCode) return `${code} with status ${statusCode}`
    if (statusCode >= 500 && !ALLOWED.includes(code)) return `${statusCode}: ${body}`
    return undefined
  }

  async function ask(route: Route, role: RoleName, request: Request) {
    sent += 1
    const cookie = await cookieOf(role)
    const isStream = route.path === api.events.stream.path
    const timer = Promise.withResolvers<'hangs'>()
    const timeout = setTimeout(() => timer.resolve('hangs'), HANG_MS)
    try {
      const asked = t.app.inject({
        ...request,
        ...(cookie === undefined ? {} : { cookies: { hushbox: cookie } }),
        payloadAsStream: isStream,
      })
      const reply = await Promise.race([asked, timer.promise])
      if (reply === 'hangs') return reply
      if (isStream && reply.statusCode === 200) reply.stream().destroy()
      const body = isStream ? await textOf(reply) : reply.body
      return { statusCode: reply.statusCode, headers: reply.headers, body }
    } finally {
      clearTimeout(timeout)
    }
  }
})

async function textOf(reply: { statusCode: number; stream(): AsyncIterable<Buffer> }) {
  if (reply.statusCode === 200) return ''
  let text = ''
  for await (const chunk of reply.stream()) text += chunk.toString()
  return text
}

function judgeSuccess(route: Route, statusCode: number, body: string): string | undefined {
  if (statusCode !== (route.status ?? 200)) return `success with status ${statusCode}`
  if (route.status === 204 || route.path === api.events.stream.path) {
    return body === '' ? undefined : `a body where none is promised: ${body}`
  }
  const answer: unknown = route.csv === undefined ? JSON.parse(body) : body
  const parsed = route.response.safeParse(answer)
  if (!parsed.success) return `an answer outside its schema: ${parsed.error.message}`
  return undefined
}

/** A cookie for a person of each kind; another person when the last was deleted or deactivated. */
async function actors(t: SimApp): Promise<(role: RoleName) => Promise<string | undefined>> {
  const { make, sessions, db, cluster } = t
  const start = async (user: { id: number; role: string }) =>
    (await db.transaction((tx) => sessions.start(tx, user, 'fuzz'))).token
  const create: Record<Exclude<RoleName, 'visitor'>, () => Promise<string>> = {
    async client() {
      const person = await make.client()
      const free = and(isNull(instances.ownerId), isNull(instances.tokenId))
      const vms = await db.select().from(instances).where(free)
      // Random ids meet servers of their own only if there are many.
      for (const { vmId } of vms) await make.owned(cluster, vmId, person)
      return await start(person)
    },
    admin: async () => start(await make.admin()),
    async simulating() {
      const actor = await sessions.resolve(await start(await make.admin()))
      const { id: userId } = await make.client()
      const { token } = await db.transaction((tx) =>
        sessions.rotate(tx, actor?.sessionId ?? 0, { userId }),
      )
      return token
    },
  }
  const current = new Map<RoleName, string>()
  return async (role) => {
    if (role === 'visitor') return undefined
    const known = current.get(role)
    const actor = known === undefined ? undefined : await sessions.resolve(known)
    const isRight = (actor?.admin !== undefined) === (role === 'simulating')
    if (known !== undefined && actor && isRight) return known
    const token = await create[role]()
    current.set(role, token)
    return token
  }
}
