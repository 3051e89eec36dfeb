import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { createAudit } from '../../audit/audit-log.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('an operator’s action on a client’s server (%s)', async (database) => {
  const t = await testApp({ sim: true, database })
  const boss = await t.make.admin()
  const alice = await t.make.client()
  const bob = await t.make.client()
  const { instance } = await t.make.owned(t.cluster, 103, alice)
  const audit = createAudit(t.deps.clock)
  type Doer = Parameters<typeof audit.record>[1]
  const act = (doer: Doer, action: string, id = instance.id) =>
    t.db.transaction((tx) => audit.record(tx, doer, { action, target: `instance:${id}` }))
  const activity = async (who: typeof alice) =>
    (await t.as(who).call(api.account.activity)).map(
      ({ action, by, server }) => `${action} by ${by}: ${server}`,
    )

  test('is in the client’s own activity, whether done as the operator or as the client', async () => {
    await act({ user: boss }, 'instance.stop')
    await act({ user: alice, admin: boss }, 'instance.console')
    expect(await activity(alice)).toEqual([
      `instance.console by admin: ${instance.name}`,
      `instance.stop by admin: ${instance.name}`,
    ])
  })

  test('is visible to no other client, and the client’s own actions are not listed', async () => {
    const before = await activity(alice)
    await act({ user: alice }, 'instance.start')
    await act({ user: boss }, 'instance.stop', instance.id * 10)
    await act({ user: boss }, 'instance.destroy')
    expect(await activity(alice)).toEqual(before)
    expect(await activity(bob)).toEqual([])
  })
})
