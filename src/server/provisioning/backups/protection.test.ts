import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'
import { openBackups } from '../testing/backups.ts'
import { twice } from '../testing/by-hand.ts'

describe.each(EACH_DATABASE)('the protection of a backup, on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const { hand, ...our } = await openBackups(t)

  test('a protected backup is not deleted; another one is', async () => {
    const server = await our.server()
    const { id: backupId } = await our.make(server)
    const params = { id: server.id, backupId }
    const protect = (isProtected: boolean) =>
      t.as(server.user).call(api.backups.protect, { params, body: { isProtected } })
    expect(await protect(true)).toEqual({ isProtected: true })
    expect((await our.askDelete(server.user, server, backupId)).status).toBe(409)
    expect(our.inCluster(server)).toMatchObject([{ archive: { isProtected: true } }])
    await protect(false)
    const jobId = await our.begin(our.askDelete(server.user, server, backupId))
    await hand.run(jobId, twice)
    expect([await our.rows(server), our.inCluster(server)]).toEqual([[], []])
    expect((await our.row(server)).status).toBe('running')
  })

  test('a protection that the storage confirms late is still recorded, and two at once agree with the storage', async () => {
    const server = await our.server()
    const { id: backupId } = await our.make(server)
    const params = { id: server.id, backupId }
    const ask = (isProtected: boolean) =>
      t.as(server.user).attempt(api.backups.protect, { params, body: { isProtected } })
    t.sim.faults.add({ kind: 'latency', path: /content/, ms: 2000 })
    expect(await ask(true)).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('has not confirmed the change yet') },
    })
    t.sim.faults.clear()
    await Promise.all([ask(true), ask(false)])
    const { isProtected } = (await our.rows(server))[0] ?? {}
    expect(our.inCluster(server)).toMatchObject([{ archive: { isProtected } }])
    const told = await t.as(server.user).call(api.servers.activity, { params })
    const protections = told.filter(({ action }) => action.endsWith('protected'))
    expect(protections.length).toBe(3)
    expect(protections[0]?.action).toBe(
      isProtected === true ? 'instance.backup-protected' : 'instance.backup-unprotected',
    )
  })
})
