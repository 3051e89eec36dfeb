import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { losePatience } from '../../jobs/testing/lose-patience.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { askTwo, chooseBackupStorage, openBackups } from '../testing/backups.ts'
import { asBegins, twice } from '../testing/by-hand.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)('backups on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openBackups(t)

  const write = (server: SoldServer, text: string) => {
    our.vmOf(server).guest.os = text
  }
  const onDisk = (server: SoldServer) => our.vmOf(server).guest.os
  const failureOf = async (jobId: string) => {
    const [row] = await t.db.select({ failure: jobs.failure }).from(jobs).where(eq(jobs.id, jobId))
    return row?.failure
  }

  test('a backup counts once the storage lists it', async () => {
    const server = await our.server()
    const row = await our.make(server)
    expect(row).toMatchObject({ state: 'ready', turn: null, storage: 'local' })
    expect(our.inCluster(server)).toMatchObject([{ volid: row.volume, size: row.sizeBytes }])
    expect((await our.row(server)).status).toBe('running')
    expect(await our.list(server)).toMatchObject({
      backups: [{ id: row.id, state: 'ready', isThere: true, isProtected: false }],
      quota: { used: 1, most: 2 },
      refusal: null,
    })
  })

  test('none is part of a server whose package grants none, or that has no package', async () => {
    for (const server of [await our.server(0), await our.bareServer()]) {
      const why = 'Backups are not part of this package.'
      expect(await our.ask(server.user, server)).toMatchObject({
        status: 409,
        body: { message: why },
      })
      const list = await our.list(server)
      expect(list).toMatchObject({ quota: { used: 0, most: 0 }, refusal: why })
      expect([await our.rows(server), our.inCluster(server)]).toEqual([[], []])
    }
  })

  test('every step twice makes one archive', async () => {
    const server = await our.server()
    const jobId = await our.begin(our.ask(server.user, server))
    await hand.run(jobId, twice)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(our.inCluster(server)).toHaveLength(1)
    expect(await our.rows(server)).toMatchObject([{ state: 'ready' }])
  })

  test('a backup that fails says why, and leaves neither archive nor row', async () => {
    const server = await our.server()
    const jobId = await our.begin(our.ask(server.user, server))
    const fault = {
      kind: 'task-error',
      path: /vzdump/,
      message: 'No space left on device',
    } as const
    t.sim.faults.add({ ...fault, count: 1 })
    await hand.runToEnd(jobId)
    expect((await failureOf(jobId))?.publicMessage).toBe(
      'The storage for backups is full. Ask the operator to make room. The server is as it was.',
    )
    expect([await our.rows(server), our.inCluster(server)]).toEqual([[], []])
    expect((await our.row(server)).status).toBe('running')
  })

  test('of fifty presses at once one is taken, and the quota holds', async () => {
    const server = await our.server()
    await our.make(server)
    const presses = Array.from({ length: 50 }, () => our.ask(server.user, server))
    const taken = (await Promise.all(presses)).filter(({ status }) => status === 202)
    expect(taken).toHaveLength(1)
    await hand.runToEnd(taken[0]?.body.jobId ?? '')
    expect(await our.ask(server.user, server)).toMatchObject({
      status: 409,
      body: { message: 'All 2 backups of this server are made. Delete one first.' },
    })
  })

  test('one is made at a time on a node, in every process', async () => {
    const { first, second, firstJob, secondJob } = await askTwo(our)
    let turns: (string | null | undefined)[] = []
    await hand.run(
      firstJob,
      asBegins('make', async () => {
        await expect(hand.run(secondJob)).rejects.toThrow(RunAgainError)
        turns = [(await our.rows(first))[0]?.turn, (await our.rows(second))[0]?.turn]
      }),
    )
    expect(turns).toEqual([expect.any(String), null])
    await hand.runToEnd(secondJob)
    expect(await our.rows(second)).toMatchObject([{ state: 'ready', turn: null }])
  })

  test('one that waits for its turn is shown, and is made also after hours', async () => {
    const { first, second, firstJob, secondJob } = await askTwo(our)
    await hand.run(
      firstJob,
      asBegins('make', async () => {
        await expect(hand.run(secondJob)).rejects.toThrow(RunAgainError)
        await losePatience(t.db, 11 * HOUR_MS)
        await expect(hand.run(secondJob)).rejects.toThrow(RunAgainError)
        expect(await our.list(first)).toMatchObject({ backups: [{ isWaiting: false }] })
        expect(await our.list(second)).toMatchObject({ backups: [{ isWaiting: true }] })
        expect((await failureOf(secondJob))?.publicMessage).toContain('This one comes after it.')
      }),
    )
    // What is wrong for a moment only is waited for as in any other backup.
    t.sim.faults.add({ kind: '595', path: '/vzdump', count: 1 })
    await expect(hand.run(secondJob)).rejects.toThrow(RunAgainError)
    expect(await shop.jobRow(secondJob)).toMatchObject({ state: 'waiting', step: 'make' })
    await hand.runToEnd(secondJob)
    t.sim.faults.clear()
    expect(await our.list(second)).toMatchObject({
      backups: [{ state: 'ready', isWaiting: false }],
    })
  })

  test('one whose turn does not come in half a day says so, and frees the server', async () => {
    const { second, firstJob, secondJob } = await askTwo(our)
    await hand.run(
      firstJob,
      asBegins('make', async () => {
        await expect(hand.run(secondJob)).rejects.toThrow(RunAgainError)
        await losePatience(t.db, 13 * HOUR_MS)
        await hand.run(secondJob)
      }),
    )
    expect(await shop.jobRow(secondJob)).toMatchObject({ state: 'failed' })
    const why = 'Its turn did not come in half a day. Please try again.'
    expect((await failureOf(secondJob))?.publicMessage).toBe(why)
    expect([await our.rows(second), (await our.row(second)).status]).toEqual([[], 'running'])
  })

  test('none is made without a storage, of another client, or by a visitor', async () => {
    const [server, other] = [await our.server(), await our.server()]
    expect((await our.ask(other.user, server)).status).toBe(404)
    const row = await our.make(server)
    expect((await our.askRestore(other.user, server, row.id)).status).toBe(404)
    expect((await our.askRestore(other.user, other, row.id)).status).toBe(404)
    expect((await our.askDelete(other.user, other, row.id)).status).toBe(404)
    await chooseBackupStorage(t.db, null)
    expect(await our.ask(server.user, server)).toMatchObject({ status: 409 })
    await chooseBackupStorage(t.db, 'local')
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('a restore needs the typed name, and a server to restore to', async () => {
    const server = await our.server()
    const { id } = await our.make(server)
    expect((await our.askRestore(server.user, server, id, { confirm: 'x' })).status).toBe(400)
    expect(await our.askRestore(server.user, server, id, { as: 'new' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'into', message: expect.stringContaining('Order one first') }] },
    })
    expect((await our.row(server)).status).toBe('running')
  })

  test('a server with backups is not handed over: they hold the data of its owner', async () => {
    const server = await our.server()
    await our.make(server)
    const { can } = await t.as(server.user).call(api.servers.get, { params: { id: server.id } })
    expect(can.transfer.why).toContain('This server has backups')
  })

  describe('a restore', () => {
    /** Everything sold changes: in our rows and in the cluster. */
    const changeAll = async (server: SoldServer) => {
      const address = `203.0.113.${150 + (server.vmId % 40)}`
      await t.db.update(tokens).set({ ipAddress: address }).where(eq(tokens.id, server.tokenId))
      const { config } = our.vmOf(server)
      config.ipconfig0 = (config.ipconfig0 ?? '').replace(/ip=[^/]+/, `ip=${address}`)
      Object.assign(config, { cores: '4', memory: '8192', tags: 'now', onboot: '1' })
    }
    const sold = (server: SoldServer) => {
      const { config } = our.vmOf(server)
      const { name, cores, memory, net0, ipconfig0, tags, onboot, ciuser, description } = config
      const firewall = t.sim.state.firewalls?.get(server.vmId)
      return { name, cores, memory, net0, ipconfig0, tags, onboot, ciuser, description, firewall }
    }

    test('brings the disk back, and the present address, size and firewall hold before it starts', async () => {
      const server = await our.server()
      write(server, 'before')
      const row = await our.make(server)
      write(server, 'after')
      await changeAll(server)
      const { firewall: _then, ...present } = sold(server)
      const jobId = await our.begin(our.askRestore(server.user, server, row.id))
      let started: ReturnType<typeof sold> | undefined
      await hand.run(
        jobId,
        asBegins('start', async () => {
          started = structuredClone(sold(server))
          expect(our.vmOf(server).qmp).toBe('stopped')
        }),
      )
      const { firewall, ...values } = started ?? {}
      expect(values).toEqual(present)
      // The set of addresses that it may use is that of now.
      expect(JSON.stringify(firewall)).toContain(/ip=([^/]+)/.exec(present.ipconfig0 ?? '')?.[1])
      expect([onDisk(server), our.vmOf(server).qmp]).toEqual(['before', 'running'])
      expect((await our.row(server)).status).toBe('running')
    })

    test('is the same with every step twice', async () => {
      const server = await our.server()
      write(server, 'before')
      const row = await our.make(server)
      write(server, 'after')
      const jobId = await our.begin(our.askRestore(server.user, server, row.id))
      await hand.run(jobId, twice)
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect([onDisk(server), our.vmOf(server).qmp]).toEqual(['before', 'running'])
    })

    test('that breaks off says that the data is gone; the server stays ours and off, and can be restored', async () => {
      const server = await our.server()
      write(server, 'before')
      const row = await our.make(server)
      const jobId = await our.begin(our.askRestore(server.user, server, row.id))
      const fault = {
        kind: 'task-error',
        path: /qemu$/,
        method: 'POST',
        message: 'broken',
      } as const
      t.sim.faults.add({ ...fault, count: 1 })
      await hand.runToEnd(jobId)
      expect((await failureOf(jobId))?.publicMessage).toContain('the server has no data now')
      const { status, marker } = await our.row(server)
      expect([status, our.vmOf(server).qmp]).toEqual(['stopped', 'stopped'])
      expect(our.vmOf(server).config.description).toContain(marker)
      await hand.runToEnd(await our.begin(our.askRestore(server.user, server, row.id)))
      expect([onDisk(server), our.vmOf(server).qmp]).toEqual(['before', 'running'])
    })

    test('touches nothing if the archive is gone', async () => {
      const server = await our.server()
      const row = await our.make(server)
      write(server, 'after')
      t.sim.state.volumes.delete(row.volume ?? '')
      expect(await our.list(server)).toMatchObject({ backups: [{ isThere: false }] })
      const jobId = await our.begin(our.askRestore(server.user, server, row.id))
      await hand.runToEnd(jobId)
      expect((await failureOf(jobId))?.publicMessage).toContain('no longer has this backup')
      expect([onDisk(server), our.vmOf(server).qmp]).toEqual(['after', 'running'])
    })

    test('is given up if the server was suspended meanwhile', async () => {
      const server = await our.server()
      const row = await our.make(server)
      const jobId = await our.begin(our.askRestore(server.user, server, row.id))
      await hand.run(
        jobId,
        asBegins('start', () =>
          shop.admin.call(api.instances.suspend, {
            params: { id: server.id },
            body: { reason: 'Abuse' },
          }),
        ),
      )
      expect(our.vmOf(server).qmp).toBe('stopped')
    })
  })
})
