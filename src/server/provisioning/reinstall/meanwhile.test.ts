import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { serverEnds, serviceTime } from '../../db/schema/service-time.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer } from '../testing/reinstalls.ts'

const DEBIAN = 'Debian GNU/Linux 12'

describe.each(BOTH_DATABASES)('while a server is reinstalled on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock, env: { GRACE_DAYS: '3' } })
  const { shop, hand, ...our } = await openReinstalls(t)

  beforeEach(async () => {
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  })

  const begin = async (server: SoldServer) => (await our.ask(server.user, server)).body.jobId
  const stateOf = async (jobId: string) => (await shop.jobRow(jobId)).state
  const jobsOf = async (kind: string, server: SoldServer) =>
    (
      await t.db
        .select()
        .from(jobs)
        .where(eq(jobs.subject, `token:${server.tokenId}`))
    ).filter((job) => job.kind === kind)
  /** The old system is kept, switched off, and does not start with its node. */
  const expectOldAndOff = async (server: SoldServer) => {
    const vm = our.vmOf(server)
    expect(vm).toMatchObject({ qmp: 'stopped', guest: { os: DEBIAN }, config: { onboot: '0' } })
    expect(our.disks(server)).toHaveLength(1)
    expect((await our.row(server)).status).toBe('stopped')
    const { stored, given } = await our.logins(server)
    expect(given).toEqual(stored)
  }
  const STEPS = ['stop', 'replace', 'configure', 'start', 'proof', 'commit']

  test.each(STEPS)('and it is suspended before %s, it is off with its old system', async (step) => {
    const server = await our.server()
    const jobId = await begin(server)
    const suspend = async () => {
      const params = { id: server.id }
      await shop.admin.call(api.instances.suspend, { params, body: { reason: 'Spam' } })
      // It waits for the reinstallation.
      for (const { id } of await jobsOf('stop', server)) {
        await expect(hand.run(id)).rejects.toThrow('waits for its next try')
      }
    }
    await hand.run(jobId, asBegins(step, suspend))
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { publicMessage: expect.stringContaining('The server was suspended meanwhile.') },
    })
    for (const { id } of await jobsOf('stop', server)) await hand.runToEnd(id)
    await expectOldAndOff(server)
  })

  test('and it is suspended and resumed, it runs with its old or its new system', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const params = { id: server.id }
    const both = async () => {
      await shop.admin.call(api.instances.suspend, { params, body: { reason: 'Spam' } })
      await shop.admin.call(api.instances.resume, { params })
    }
    await hand.run(jobId, asBegins('replace', both))
    for (const kind of ['stop', 'start']) {
      for (const { id } of await jobsOf(kind, server)) await hand.runToEnd(id)
    }
    expect(await stateOf(jobId)).toBe('done')
    expect(our.vmOf(server).qmp).toBe('running')
  })

  test('and its owner ends it, it is off with its old system', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const params = { id: server.id }
    const body = { confirm: String(server.vmId), refund: 'none' } as const
    const end = () => t.as(server.user).call(api.instances.end, { params, body })
    await hand.run(jobId, asBegins('proof', end))
    expect(await stateOf(jobId)).toBe('failed')
    for (const { id } of await jobsOf('stop', server)) await hand.runToEnd(id)
    await expectOldAndOff(server)
  })

  test('and its owner deletes the account, it is off and belongs to nobody', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const leave = () =>
      t.db.transaction(async (tx) => {
        await deleteAccount(tx, server.user, { sessions: hand.sessions, clock })
      })
    await hand.run(jobId, asBegins('commit', leave))
    expect(await stateOf(jobId)).toBe('failed')
    expect(await our.row(server)).toMatchObject({ ownerId: null, status: 'stopped' })
    await expectOldAndOff(server)
  })

  test('and its time ends, it is stopped, kept, and removed after the grace period', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const expire = async () => {
      clock.advance(31 * DAY_MS)
      await hand.sweep()
    }
    await hand.run(jobId, asBegins('start', expire))
    expect(await stateOf(jobId)).toBe('failed')
    await hand.runAll()
    await expectOldAndOff(server)
    // The sweep counts only time that it has witnessed.
    await t.db.update(serviceTime).set({ witnessedMs: 100 * DAY_MS })
    clock.advance(4 * DAY_MS)
    await t.db.update(serverEnds).set({ recordedMs: 0 })
    await hand.sweep()
    await hand.runAll()
    expect(t.sim.state.vms.has(server.vmId)).toBe(false)
    expect(our.disks(server)).toEqual([])
  })

  test('and its removal is due, the removal wins and nothing is left', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const remove = async () => {
      const at = new Date(clock.now().getTime() - 8 * DAY_MS)
      await t.db
        .update(tokens)
        .set({ status: 'expired', expiresAt: at })
        .where(eq(tokens.id, server.tokenId))
      const recorded = { endsAt: at, since: at.toISOString(), recordedAt: at, recordedMs: 0 }
      await t.db
        .insert(serverEnds)
        .values({ tokenId: server.tokenId, ...recorded, orderedMs: 8 * DAY_MS })
      const time = { seenAt: clock.now(), witnessedMs: 900 * DAY_MS, gapMs: null }
      await t.db.delete(serviceTime)
      await t.db.insert(serviceTime).values(time)
      const input = { tokenId: server.tokenId, name: server.name }
      await hand.run(await hand.jobs.enqueue(t.db, hand.end, input))
    }
    await hand.run(jobId, asBegins('configure', remove))
    expect(await stateOf(jobId)).toBe('failed')
    expect(t.sim.state.vms.has(server.vmId)).toBe(false)
    expect(our.disks(server)).toEqual([])
    expect(await t.db.select().from(instances).where(eq(instances.id, server.id))).toEqual([])
  })

  test('and the undo cannot be done, an operator gives it up and takes over', async () => {
    const server = await our.server()
    const jobId = await begin(server)
    const lose = async () => {
      const [old] = our.disks(server)
      const key = Object.keys(our.vmOf(server).config).find((name) => name.startsWith('unused'))
      for (const [name, { volid }] of t.sim.state.volumes) {
        if (volid === old) t.sim.state.volumes.delete(name)
      }
      delete our.vmOf(server).config[key ?? '']
      throw new AppError('INVALID_STATE', 'The disk is gone.')
    }
    await expect(hand.run(jobId, asBegins('configure', lose))).rejects.toThrow()
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'undoing',
      stuck: { step: 'replace', message: expect.stringContaining('The old disk is gone') },
    })
    await t.db.update(jobs).set({ givenUpAt: clock.now() }).where(eq(jobs.id, jobId))
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'failed',
      failure: { publicMessage: expect.stringContaining('The operator takes care of it.') },
    })
    expect((await our.row(server)).status).not.toBe('reinstalling')
  })
})
