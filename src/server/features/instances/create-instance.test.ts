import { and, eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { templates } from '../../db/schema/infrastructure.ts'
import { testApp } from '../../testing/test-app.ts'

describe('an instance made by an admin', async () => {
  const t = await testApp({ sim: true, withJobs: true })
  const admin = t.as(await t.make.admin())
  const [template] = await t.db
    .select()
    .from(templates)
    .where(and(eq(templates.clusterId, t.cluster.id)))

  let nextHost = 100
  const stock = () =>
    admin.call(api.tokens.create, {
      body: {
        name: '1 CPU 1 GB RAM 25 GB SSD',
        tokenType: 'ip_mac',
        nodeId: template?.nodeId ?? 0,
        templateId: template?.id ?? 0,
        ipAddress: `203.0.113.${nextHost++}`,
        username: 'debian',
        password: 'a password',
        osType: 'Debian 12',
      },
    })

  test('exists at once, and runs for the client when the job is done', async () => {
    const client = await t.make.client()
    const token = await stock()
    const made = await admin.call(api.instances.create, {
      body: { tokenId: token.id, name: 'web', clientUserId: client.id },
    })
    expect(made).toMatchObject({ name: 'web', ownerId: client.id })
    const mine = t.as(client)
    await vi.waitFor(
      async () => {
        const [own] = await mine.call(api.client.tokens)
        expect(own).toMatchObject({ id: token.id, status: 'assigned' })
      },
      { timeout: 40_000, interval: 250 },
    )
    const [instance] = await mine.call(api.client.instances)
    expect(instance).toMatchObject({ id: made.id, status: 'running' })
  })

  test('needs a free token, a name and an active client', async () => {
    const client = await t.make.client()
    const token = await stock()
    const attempt = (body: Partial<{ tokenId: number; name: string; clientUserId: number }>) =>
      admin.attempt(api.instances.create, {
        body: { tokenId: token.id, name: 'web', clientUserId: client.id, ...body },
      })
    expect((await attempt({ tokenId: 2_000_000_000 })).status).toBe(404)
    expect((await attempt({ name: ' ' })).body.message).toBe('Instance name is required')
    expect((await attempt({ clientUserId: 2_000_000_000 })).status).toBe(400)
  })
})
