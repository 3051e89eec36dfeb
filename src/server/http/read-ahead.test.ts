import { setImmediate as endOfTurn } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { idParams } from '#shared/api/parts/fields.ts'
import { route } from '#shared/api/parts/route.ts'
import { notFound } from '#shared/errors.ts'
import { readConfig } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { createLimiters } from '../limits/limiters.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Actor } from '../sessions/actor.ts'
import { implement } from './implement.ts'
import { createMetrics } from './observe/metrics.ts'
import { readAhead } from './read-ahead.ts'
import { createFastify, prepareServer } from './server.ts'

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
type Fakes = {
  read: (id: number) => Promise<Page>
  resolve?: (token: string) => Promise<Actor | undefined>
  isKeyKnown?: boolean
}

/** The server with one route, whose session and row are looked up by these functions. */
async function serve({ read, resolve = async () => OWNER, isKeyKnown = true }: Fakes) {
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_SCALE: '0' })
  const app = createFastify(config)
  const reads: number[] = []
  const none = { kind: 'embedded' } as Database
  await prepareServer(app, {
    config,
    sessions: { resolve },
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
      page: readAhead(
        ({ id }) => {
          reads.push(id)
          return read(id)
        },
        ({ actor }, found) => {
          if (found.owner !== actor.user.id) throw notFound('Page')
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
  return { ask, reads }
}

const SESSION = { cookie: 'hushbox=token' }
const OWN = { id: 5, owner: OWNER.user.id }

describe('what a handler reads ahead', () => {
  test('is read while the session is still looked up', async () => {
    // One after the other, each would wait for the other without end.
    const begun = Promise.withResolvers<void>()
    const known = Promise.withResolvers<void>()
    const { ask } = await serve({
      read: async () => {
        begun.resolve()
        await known.promise
        return OWN
      },
      resolve: async () => {
        await begun.promise
        known.resolve()
        return OWNER
      },
    })
    expect(await ask(SESSION)).toEqual([200, OWN])
  })

  test('is read once', async () => {
    const { ask, reads } = await serve({ read: async () => OWN })
    await ask(SESSION)
    expect(reads).toEqual([5])
  })

  test('is not answered to somebody whose session is over, or who may not see it', async () => {
    const over = await serve({ read: async () => OWN, resolve: async () => undefined })
    expect(await over.ask(SESSION)).toEqual([
      401,
      expect.objectContaining({ message: expect.any(String) }),
    ])
    const other = await serve({ read: async () => OWN, resolve: async () => STRANGER })
    expect(await other.ask(SESSION)).toEqual([404, expect.not.objectContaining(OWN)])
  })

  test('costs nothing for a visitor, or for input that the route refuses', async () => {
    const { ask, reads } = await serve({ read: async () => OWN })
    expect((await ask({}))[0]).toBe(401)
    expect((await ask(SESSION, '/api/pages/none'))[0]).toBe(400)
    expect(reads).toEqual([])
  })

  test('is read for the key of a program once it is accepted, whatever the cookie', async () => {
    const both = { authorization: 'Bearer key', ...SESSION }
    const { ask, reads } = await serve({ read: async () => OWN })
    expect(await ask(both)).toEqual([200, OWN])
    expect(reads).toEqual([5])
    const other = await serve({ read: async () => OWN, isKeyKnown: false })
    expect((await other.ask(both))[0]).toBe(401)
    expect(other.reads).toEqual([])
  })

  test('fails for its caller alone: one who is refused hears of the refusal', async () => {
    const read = async () => {
      throw new Error('the database is gone')
    }
    const { ask } = await serve({ read })
    expect((await ask(SESSION))[0]).toBe(500)
    // The request of a refused caller does not wait for its read. An error that no code handles ends
    // the process.
    const unhandled: unknown[] = []
    const hear = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', hear)
    const refused = await serve({ read, resolve: async () => undefined })
    expect((await refused.ask(SESSION))[0]).toBe(401)
    await endOfTurn()
    process.off('unhandledRejection', hear)
    expect(unhandled).toEqual([])
  })
})
