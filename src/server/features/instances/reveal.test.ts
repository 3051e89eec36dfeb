import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { VM_PASSWORD } from '../../testing/factories.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

describe.each(EACH_DATABASE)('revealing a login on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const boss = await t.make.admin()
  const reveals = async (userId: number) =>
    await t.db
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.action, 'instance.reveal'), eq(auditLog.subjectId, userId)))
  const owned = async (vmId: number) => {
    const owner = await t.make.client()
    const { instance, token } = await t.make.owned(t.cluster, vmId, owner)
    return { owner, token, params: { id: instance.id } }
  }

  test("shows an operator one login, and the audit log and the client's activity record it", async () => {
    const { owner, params } = await owned(100)
    const login = await t.as(boss).call(api.instances.reveal, { params })
    expect(login).toEqual({ username: 'root', password: VM_PASSWORD })
    expect(await reveals(owner.id)).toMatchObject([
      { actorId: boss.id, adminId: null, details: { instanceId: params.id } },
    ])
    const [event] = await t.as(owner).call(api.account.activity)
    expect(event).toMatchObject({ action: 'instance.reveal', by: 'admin' })
  })

  test('is the only way: no list for an operator contains a password', async () => {
    await owned(101)
    const admin = t.as(boss)
    const lists = [
      await admin.call(api.tokens.list),
      await admin.call(api.tokens.cancelled),
      await admin.call(api.instances.list),
      await admin.call(api.orders.list),
      await admin.call(api.dashboard.clients),
      await admin.call(api.audit.list),
    ]
    expect(JSON.stringify(lists)).not.toContain(VM_PASSWORD)
  })

  test('is allowed to its owner, and another client does not find the server', async () => {
    const { owner, params } = await owned(110)
    expect(await t.as(owner).call(api.instances.reveal, { params })).toMatchObject({
      password: VM_PASSWORD,
    })
    const stranger = t.as(await t.make.client())
    const theirs = await stranger.attempt(api.instances.reveal, { params })
    const absent = await stranger.attempt(api.instances.reveal, { params: { id: 999_999 } })
    expect([theirs.status, theirs.body]).toEqual([404, absent.body])
    expect(await reveals(owner.id)).toHaveLength(1)
  })

  test('is refused to a simulating admin, who has to reveal as an operator', async () => {
    const { owner, params } = await owned(111)
    const start = { params: { userId: owner.id } }
    const { cookie } = await t.as(boss).attempt(api.simulation.start, start)
    const looking = t.with(cookie ?? '')
    expect(await looking.attempt(api.instances.reveal, { params })).toMatchObject({
      status: 403,
      body: { code: 'NOT_WHILE_SIMULATING' },
    })
    const shown = [await looking.call(api.client.tokens), await looking.call(api.client.instances)]
    expect(JSON.stringify(shown)).not.toContain(VM_PASSWORD)
    expect(await reveals(owner.id)).toEqual([])
  })

  test('is refused if there is no password', async () => {
    const { owner, token, params } = await owned(108)
    await t.db.update(tokens).set({ status: 'pending' }).where(eq(tokens.id, token.id))
    for (const who of [owner, boss]) {
      const answer = await t.as(who).attempt(api.instances.reveal, { params })
      expect(answer).toMatchObject({ status: 409, body: { code: 'NO_PASSWORD' } })
    }
    await t.db.update(instances).set({ tokenId: null }).where(eq(instances.id, params.id))
    const answer = await t.as(boss).attempt(api.instances.reveal, { params })
    expect(answer).toMatchObject({ status: 409, body: { code: 'NO_PASSWORD' } })
    expect(await reveals(owner.id)).toEqual([])
  })
})
