import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { auditLog } from '../../db/schema/accounts.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

test.each(EACH_DATABASE)(
  'deactivating a client can suspend its servers, which otherwise keep running (%s)',
  async (database) => {
    const t = await testApp({ sim: true, withJobs: true, database })
    const admin = t.as(await t.make.admin())
    const client = await t.make.client()
    const params = { id: client.id }
    const first = await t.make.owned(t.cluster, 100, client)
    const second = await t.make.owned(t.cluster, 101, client)
    const reasonOf = async (id: number) =>
      (await admin.call(api.instances.list)).find((one) => one.id === id)?.suspended?.reason
    expect(await admin.call(api.users.servers, { params })).toEqual({ count: 2, suspended: 0 })

    await admin.call(api.users.update, { params, body: { isActive: false } })
    expect(await reasonOf(first.instance.id)).toBeUndefined()
    const late = { isActive: false, suspendServers: true }
    expect(await admin.attempt(api.users.update, { params, body: late })).toMatchObject({
      status: 400,
    })

    await admin.call(api.users.update, { params, body: { isActive: true } })
    const body = { reason: 'Spam.' }
    await admin.call(api.instances.suspend, { params: { id: first.instance.id }, body })
    await admin.call(api.users.update, { params, body: late })
    expect(await reasonOf(first.instance.id)).toBe('Spam.')
    expect(await reasonOf(second.instance.id)).toBe('Your account is deactivated.')
    expect(await admin.call(api.users.servers, { params })).toEqual({ count: 2, suspended: 2 })
    const entries = await t.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.subjectId, client.id))
      .orderBy(auditLog.id)
    expect(entries.at(-1)).toMatchObject({
      action: 'user.update',
      details: { changed: ['isActive'], suspended: [second.instance.id] },
    })
    expect(await admin.attempt(api.users.servers, { params: { id: 999_999 } })).toMatchObject({
      status: 404,
    })
  },
)
