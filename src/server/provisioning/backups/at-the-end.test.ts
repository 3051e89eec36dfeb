import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { packages } from '../../db/schema/sales.ts'
import { serviceTime } from '../../db/schema/service-time.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { openBackups } from '../testing/backups.ts'
import { asBegins, broken } from '../testing/by-hand.ts'
import { endGrace } from '../testing/grace.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)('at the end of a term, on %s,', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openBackups(t)

  /** Of a package with a last backup, or without. */
  const sold = async (lastBackup = true) => {
    const server = await our.server(2)
    await t.db.update(packages).set({ lastBackup })
    return server
  }
  const runWaiting = async (bend?: Parameters<typeof hand.runAll>[0]) => hand.runAll(bend)
  const expire = async (server: SoldServer) => {
    await t.db.update(tokens).set({ expiresAt: clock.now() }).where(eq(tokens.id, server.tokenId))
    await hand.sweep()
    await runWaiting()
    expect(our.vmOf(server).qmp).toBe('stopped')
    await t.db.update(instances).set({ status: 'stopped' }).where(eq(instances.id, server.id))
  }
  const renew = async (server: SoldServer) => {
    await t.db
      .update(tokens)
      .set({ status: 'assigned', expiresAt: new Date(clock.now().getTime() + 30 * DAY_MS) })
      .where(eq(tokens.id, server.tokenId))
  }
  const remove = async (server: SoldServer) => {
    await t.db.delete(serviceTime)
    await t.db
      .update(tokens)
      .set({ status: 'cancelled', cancelledAt: clock.now() })
      .where(eq(tokens.id, server.tokenId))
    await endGrace(t, hand, server.tokenId)
  }
  const rowsOfVm = ({ vmId }: SoldServer) =>
    t.db.select().from(backups).where(eq(backups.vmId, vmId))

  test('a last backup is made once, and a client who comes back restores it', async () => {
    const server = await sold()
    our.vmOf(server).guest.os = 'of the last day'
    await hand.lastBackupSweep()
    expect(await hand.waiting()).toEqual([])
    await expire(server)
    await hand.lastBackupSweep()
    await hand.lastBackupSweep()
    expect((await hand.waiting()).map(({ kind }) => kind)).toEqual(['last-backup'])
    await runWaiting()
    await hand.lastBackupSweep()
    expect(await hand.waiting()).toEqual([])
    const [row] = await our.rows(server)
    expect(row).toMatchObject({ state: 'ready', origin: 'end' })
    expect(our.vmOf(server).qmp).toBe('stopped')

    await renew(server)
    our.vmOf(server).guest.os = 'broken since'
    const list = await our.list(server)
    expect(list.quota).toEqual({ used: 0, most: 2 })
    await hand.runToEnd(await our.begin(our.askRestore(server.user, server, row?.id ?? 0)))
    expect(our.vmOf(server).guest.os).toBe('of the last day')
  })

  test('a server without it in its package is not backed up', async () => {
    const server = await sold(false)
    await expire(server)
    await hand.lastBackupSweep()
    expect(await hand.waiting()).toEqual([])
  })

  test('one that fails is tried three times, an hour apart', async () => {
    const server = await sold()
    await expire(server)
    let tries = 0
    for (let hour = 0; hour < 6; hour += 1) {
      await hand.lastBackupSweep()
      tries += (await hand.waiting()).filter(
        (job) => job.subject === `instance:${server.id}`,
      ).length
      await runWaiting(broken('make'))
      clock.advance(HOUR_MS)
    }
    expect(tries).toBe(3)
    expect([await our.rows(server), our.inCluster(server)]).toEqual([[], []])
  })

  test('a server that is renewed during its last backup runs afterwards', async () => {
    const server = await sold()
    await expire(server)
    await hand.lastBackupSweep()
    await runWaiting(asBegins('make', () => renew(server)))
    expect(our.vmOf(server).qmp).toBe('running')
    expect((await our.row(server)).status).toBe('running')
    expect(await our.rows(server)).toMatchObject([{ origin: 'end', state: 'ready' }])
  })

  test('the last backup of an earlier term goes when there is a newer one', async () => {
    const server = await sold()
    for (let term = 0; term < 2; term += 1) {
      await expire(server)
      await hand.lastBackupSweep()
      await runWaiting()
      await renew(server)
      clock.advance(DAY_MS)
      await hand.sweep()
      await runWaiting()
    }
    const [, newer] = await our.rows(server)
    await hand.pruneSweep()
    await runWaiting()
    expect((await our.rows(server)).map(({ id }) => id)).toEqual([newer?.id])
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('a server takes its archives with it, protected ones too, and nobody else’s', async () => {
    const [server, other] = [await sold(), await our.server(2)]
    const { id: backupId } = await our.make(server)
    await our.make(other)
    await t.as(server.user).call(api.backups.protect, {
      params: { id: server.id, backupId },
      body: { isProtected: true },
    })
    await remove(server)
    expect(t.sim.state.vms.has(server.vmId)).toBe(false)
    expect([await rowsOfVm(server), our.inCluster(server)]).toEqual([[], []])
    expect(our.inCluster(other)).toHaveLength(1)
  })

  test('a server stays until its archives can be deleted', async () => {
    const server = await sold()
    await our.make(server)
    t.sim.faults.add({ kind: 'refuse', path: /content/, method: 'DELETE' })
    await expect(remove(server)).rejects.toThrow(RunAgainError)
    t.sim.faults.clear()
    expect(t.sim.state.vms.has(server.vmId)).toBe(true)
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('a VM that is gone leaves archives, which are deleted as soon as its cluster answers', async () => {
    const server = await sold()
    await our.make(server)
    t.sim.state.vms.delete(server.vmId)
    await t.db.delete(instances).where(eq(instances.id, server.id))
    t.sim.faults.add({ kind: 'refuse' })
    await hand.leftArchives()
    expect(await rowsOfVm(server)).toMatchObject([{ failure: expect.any(String) }])
    t.sim.faults.clear()
    await hand.leftArchives()
    expect(our.inCluster(server)).toHaveLength(1)
    clock.advance(10 * MINUTE_MS)
    await expect
      .poll(
        async () => {
          await t.db.update(backups).set({ triedAt: null }).where(eq(backups.vmId, server.vmId))
          await hand.leftArchives()
          return (await rowsOfVm(server)).length
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(0)
    expect(our.inCluster(server)).toEqual([])
  })
})
