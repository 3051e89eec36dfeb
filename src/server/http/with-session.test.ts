import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { idParams } from '#shared/api/parts/fields.ts'
import { UNATTENDED } from '#shared/api/parts/request.ts'
import { route } from '#shared/api/parts/route.ts'
import { notFound } from '#shared/errors.ts'
import { readConfig } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { createLimiters } from '../limits/limiters.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Actor } from '../sessions/actor.ts'
import { implement } from './implement.ts'
import { createMetrics } from './observe/metrics.ts'
import { createFastify, prepareServer } from './server.ts'
import { readWithSession } from './with-session.ts'

const page = route({
  method: 'GET',
  path: '/api/pages/:id',
  access: 'signed-in',
  staff: 'look',
  scope: 'servers:read',
  summary: 'A page',
  params: idParams,
  response: z.object({ id: z.int(), owner: z.int() }),
})

const OWNER = { sessionId: 1, user: { id: 7, role: 'client' } } as Actor
const STRANGER = { sessionId: 2, user: { id: 8, role: 'client' } } as Actor

type Page = { id: number; owner: number }
type Fakes = { row: () => Promise<Page>; actor?: Actor | undefined; isKeyKnown?: boolean }

/** The server with one route, whose session and row are looked up by these functions. */
async function serve(fakes: Fakes) {
  const { row, actor, isKeyKnown = true } = { actor: OWNER, ...fakes }
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_SCALE: '0' })
  const app = createFastify(config)
  const asked: unknown[] = []
  const looks: unknown[] = []
  const none = { kind: 'embedded' } as Database
  await prepareServer(app, {
    config,
    sessions: {
      resolve: async (token: string) => {
        asked.push(['session', token])
        return actor
      },
    },
    apiKeys: {
      resolve: async () =>
        isKeyKnown
          ? {
              actor: { ...OWNER, key: { id: 1, scopes: ['servers:read'], instanceIds: null } },
              isHere: true,
            }
          : undefined,
    },
    limiters: createLimiters({ config, database: none, keyring: {} as Keyring }),
    metrics: createMetrics(),
    clock: { now: () => new Date() },
  } as unknown as Parameters<typeof prepareServer>[1])
  implement(
    app,
    { page },
    {
      page: readWithSession(
        {
          withSession: async (token, { id }, look) => {
            looks.push(look)
            asked.push(['session and row', token, id])
            return actor && { actor, row: await row() }
          },
          alone: async ({ id }) => {
            asked.push(['row', id])
            return await row()
          },
        },
        (call, found) => {
          if (found.owner !== call.actor.user.id) throw notFound('Page')
          return found
        },
      ),
    },
  )
  afterAll(() => app.close())
  const ask = async (headers: Record<string, string>, path = '/api/pages/5') => {
    const reply = await app.inject({ method: 'GET', url: path, headers })
    return [reply.statusCode, reply.json()] as const
  }
  return { ask, asked, looks }
}

const SESSION = { cookie: 'hushbox=token' }
const OWN = { id: 5, owner: OWNER.user.id }
const refusal = expect.objectContaining({ message: expect.any(String) })

describe('a handler that reads with the session', () => {
  test('asks the database one question for both', async () => {
    const { ask, asked } = await serve({ row: async () => OWN })
    expect(await ask(SESSION)).toEqual([200, OWN])
    expect(asked).toEqual([['session and row', 'token', 5]])
  })

  test('answers nobody whose session is over, or who may not see the row', async () => {
    const over = await serve({ row: async () => OWN, actor: undefined })
    expect(await over.ask(SESSION)).toEqual([401, refusal])
    const other = await serve({ row: async () => OWN, actor: STRANGER })
    expect(await other.ask(SESSION)).toEqual([404, expect.not.objectContaining(OWN)])
  })

  test('tells whether a person asks, or a page by itself', async () => {
    const { ask, looks } = await serve({ row: async () => OWN })
    await ask(SESSION)
    await ask({ ...SESSION, [UNATTENDED]: '1' })
    expect(looks).toEqual([{ isUse: true }, { isUse: false }])
  })

  test('reads nothing for a visitor', async () => {
    const { ask, asked } = await serve({ row: async () => OWN })
    expect((await ask({}))[0]).toBe(401)
    expect(asked).toEqual([])
  })

  test('reads no row for input that the route refuses, and tells only who is signed in', async () => {
    const path = '/api/pages/none'
    const { ask, asked } = await serve({ row: async () => OWN })
    expect(await ask(SESSION, path)).toEqual([400, refusal])
    expect(asked).toEqual([['session', 'token']])
    const over = await serve({ row: async () => OWN, actor: undefined })
    expect(await over.ask(SESSION, path)).toEqual([401, refusal])
  })

  test('reads the row by itself for the key of a program, whatever the cookie', async () => {
    const both = { authorization: 'Bearer key', ...SESSION }
    const { ask, asked } = await serve({ row: async () => OWN })
    expect(await ask(both)).toEqual([200, OWN])
    expect(asked).toEqual([['row', 5]])
    const other = await serve({ row: async () => OWN, isKeyKnown: false })
    expect((await other.ask(both))[0]).toBe(401)
    expect(other.asked).toEqual([])
  })

  test('fails like the look-up of any session when the database is gone', async () => {
    const row = async () => {
      throw new Error('the database is gone')
    }
    const { ask } = await serve({ row })
    expect((await ask(SESSION))[0]).toBe(500)
  })
})
