import { eq } from 'drizzle-orm'
import { beforeEach, expect } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { createAudit } from '../../audit/audit-log.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { HostKeyReading } from '../../ssh/read-host-keys.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import type { DatabaseKind } from '../../testing/test-db.ts'
import { forgetHostKeys } from '../host-key-rows.ts'
import { createHostKeySweep } from '../host-key-sweep.ts'

export const ADDRESS = '203.0.113.9'
/** How often the sweep runs in the product. */
export const TICK_MS = 10_000

export const keyOf = (name: string, type = 'ssh-ed25519') => ({
  type,
  publicKey: `AAAA${name}`,
  fingerprint: `SHA256:${name}`,
})
export const showing = (...names: string[]): HostKeyReading => ({
  is: 'keys',
  keys: names.map((name) => keyOf(name)),
})
export const SILENT: HostKeyReading = { is: 'no-answer' }

/** A client's server, new before each test, and what is asked of it and answered by it. */
export async function watchedServer(database: DatabaseKind) {
  const clock = testClock()
  const t = await testApp({ database, sim: true, clock })
  const client = await t.make.client()
  const boss = await t.make.admin()
  const { instance, token } = await t.make.owned(t.cluster, 101, client)
  const params = { id: instance.id }
  // A new session each time, because the tests move the clock by days.
  const owner = () => t.as(client)
  const guest = { asked: [] as string[], answer: SILENT }
  const sweepOf = ({ demo = false, during = async () => {} } = {}) =>
    createHostKeySweep({
      ...t.deps,
      config: { demo },
      audit: createAudit(clock),
      read: async ({ address, port }) => {
        expect(port).toBe(22)
        guest.asked.push(address)
        await during()
        return guest.answer
      },
    }).sweep
  const setServer = (values: Partial<typeof instances.$inferInsert>) =>
    t.db.update(instances).set(values).where(eq(instances.id, instance.id))
  const setToken = (values: Partial<typeof tokens.$inferInsert>, id = token.id) =>
    t.db.update(tokens).set(values).where(eq(tokens.id, id))

  beforeEach(async () => {
    clock.advance(2 * DAY_MS)
    await t.db.transaction((tx) => forgetHostKeys(tx, instance.id))
    const state = { missingSince: null, suspendedAt: null, lastUpdated: new Date(0) }
    await setServer({ ...state, tokenId: token.id, status: 'running', ipAddress: ADDRESS })
    await setToken({ status: 'assigned', clientIpAddress: null })
    guest.asked = []
    guest.answer = SILENT
  })

  return {
    t,
    clock,
    client,
    instance,
    params,
    owner,
    admin: () => t.as(boss),
    guest,
    sweep: sweepOf(),
    sweepOf,
    setServer,
    setToken,
    shown: () => owner().call(api.servers.hostKeys, { params }),
  }
}
