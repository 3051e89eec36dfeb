import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { apiKeys } from '../db/schema/ssh-keys.ts'
import { openHandovers } from '../provisioning/testing/handovers.ts'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { endKeysOfServer } from './end-keys.ts'

describe.each(BOTH_DATABASES)(
  'the API keys for a server that is given away, on %s',
  async (database) => {
    const t = await testApp({ sim: true, database })
    const our = await openHandovers(t)

    const keyFor = (owner: Parameters<typeof t.as>[0], instanceIds: number[]) =>
      t.as(owner).call(api.apiKeys.create, {
        body: { name: 'k', scopes: ['servers:read'], instanceIds },
      })
    const read = async ({ key }: { key: string }, id: number) => {
      const headers = { authorization: `Bearer ${key}` }
      return (await t.app.inject({ url: `/api/instances/${id}`, headers })).statusCode
    }
    const stored = async ({ id }: { id: number }) =>
      (await t.db.select().from(apiKeys).where(eq(apiKeys.id, id))).map((row) => row.instanceIds)

    test('end if they were for it alone, and go on for the others', async () => {
      const given = await our.server()
      const owner = given.user
      const kept = await our.server(owner)
      const both = await keyFor(owner, [given.id, kept.id])
      const alone = await keyFor(owner, [given.id])
      const other = await keyFor(owner, [kept.id])
      expect([await read(both, given.id), await read(both, kept.id)]).toEqual([200, 200])
      await our.take(await t.make.client(), await our.codeFor(given))
      expect([await read(both, given.id), await read(both, kept.id)]).toEqual([404, 200])
      expect(await stored(both)).toEqual([[kept.id]])
      expect([await read(alone, given.id), await stored(alone)]).toEqual([401, []])
      expect([await read(other, kept.id), await stored(other)]).toEqual([200, [[kept.id]]])
      await our.hand.runAll()
    })

    test('of another account stay as they are', async () => {
      const server = await our.server()
      const key = await keyFor(server.user, [server.id])
      const { id: userId } = await t.make.client()
      await endKeysOfServer(t.db, { userId, instanceId: server.id })
      expect(await stored(key)).toEqual([[server.id]])
    })
  },
)
