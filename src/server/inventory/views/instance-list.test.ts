import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { users } from '../../db/schema/accounts.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { describeInstances } from '../sync/instance-details.ts'
import { instanceList } from './instance-list.ts'
import { instanceRows } from './instance-rows.ts'

describe.each(EACH_DATABASE)('the list kept in memory on %s', async (database) => {
  const t = await testApp({ database, sim: true })
  const list = instanceList(t.db)
  const client = await t.make.client()
  const { instance, token } = await t.make.owned(t.cluster, 100, client)
  const isThat = eq(instances.id, instance.id)
  // The first sync of a cluster goes on in the background: what it writes would be a change, too.
  const readOn = () => describeInstances(t.deps, t.cluster.id)
  await vi.waitUntil(async () => (await readOn()) === 0, { timeout: 60_000 })

  /** Expects the list to match the tables after the change, and to have differed before it. */
  const expectToFollow = async (change: () => Promise<unknown>) => {
    const before = await list()
    expect(before).toEqual(await instanceRows(t.db))
    await change()
    const after = await list()
    expect(after).toEqual(await instanceRows(t.db))
    expect(after).not.toEqual(before)
  }

  test('follows a change of an instance', () =>
    expectToFollow(() => t.db.update(instances).set({ name: 'renamed' }).where(isThat)))

  test('follows a change of its token', () =>
    expectToFollow(() =>
      t.db.update(tokens).set({ username: 'somebody' }).where(eq(tokens.id, token.id)),
    ))

  test('follows a change of its owner, whose name is shown', () =>
    expectToFollow(() =>
      t.db.update(users).set({ firstName: 'Grace' }).where(eq(users.id, client.id)),
    ))

  test('follows a change of many', () =>
    expectToFollow(() => t.db.update(instances).set({ uptime: 77 })))

  test('shows nothing of a transaction that is rolled back', async () => {
    const before = await list()
    await t.db
      .transaction(async (tx) => {
        await tx.update(instances).set({ name: 'never' }).where(isThat)
        throw new Error('undone')
      })
      .catch((error: Error) => expect(error.message).toBe('undone'))
    expect(await list()).toEqual(before)
  })

  test('follows additions and removals', async () => {
    const { id: _, ...copy } = instance
    await expectToFollow(() =>
      t.db.insert(instances).values({ ...copy, vmId: 99_999, tokenId: null }),
    )
    await expectToFollow(() => t.db.delete(instances).where(eq(instances.vmId, 99_999)))
  })

  test('is right for concurrent callers', async () => {
    const many = Array.from({ length: 5 }, async (_, at) => {
      await t.db.update(instances).set({ uptime: at }).where(isThat)
      return await list()
    })
    await Promise.all(many)
    expect(await list()).toEqual(await instanceRows(t.db))
  })
})
