import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { instances, ownIsos } from '../../db/schema/stock.ts'
import { type Person, testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, broken, twice } from '../testing/by-hand.ts'
import { openHandovers } from '../testing/handovers.ts'
import { isoHost } from '../testing/iso-host.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

const host = await isoHost()
host.serve('/a.iso')
host.serve('/b.iso')
const { sha256 } = host

describe.each(BOTH_DATABASES)('images of one’s own on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openHandovers(t)

  const put = (who: Person, { id }: SoldServer, path = '/a.iso', sum = sha256) =>
    t.as(who).attempt(api.cds.insert, {
      params: { id },
      body: { url: host.urlOf(path), sha256: sum },
    })
  const begun = async (asked: ReturnType<typeof put>) => {
    const answer = await asked
    expect(answer).toMatchObject({ status: 202 })
    return answer.body.jobId
  }
  const takeOut = async ({ id, user }: SoldServer) => {
    const { jobId } = await t.as(user).call(api.cds.takeOut, { params: { id } })
    await hand.runToEnd(jobId)
  }
  const rows = ({ id }: SoldServer) => t.db.select().from(ownIsos).where(eq(ownIsos.instanceId, id))
  /** The files in the cluster that clients had downloaded. */
  const files = () =>
    [...t.sim.state.volumes.values()]
      .map(({ volid }) => volid)
      .filter((volid) => volid.includes(':iso/own-'))
  /** How often a node was told to download something. */
  const downloads = () => t.sim.requests.filter(({ path }) => path.includes('/download-url')).length
  const drive = (server: SoldServer) => our.vmOf(server).config.ide0 ?? ''
  const failureOf = async (jobId: string) => (await shop.jobRow(jobId))?.failure?.publicMessage
  const expectUntouched = async (server: SoldServer) => {
    expect(drive(server)).not.toContain(':iso/')
    expect(our.vmOf(server).qmp).toBe('running')
    expect((await our.row(server)).status).toBe('running')
  }
  const clean = async () => {
    clock.advance(15 * DAY_MS)
    await hand.cdSweep()
    expect(files()).toEqual([])
  }

  test('are downloaded by the node, put in and kept for the next time', async () => {
    const server = await our.server()
    const jobId = await begun(put(server.user, server))
    await hand.run(jobId, twice)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    const [row] = await rows(server)
    expect(files()).toEqual([row?.volume])
    expect(drive(server)).toContain(row?.volume)
    expect(await t.as(server.user).call(api.cds.get, { params: { id: server.id } })).toMatchObject({
      ownRefusal: null,
      own: { url: host.urlOf('/a.iso'), sha256 },
      cd: { kind: 'iso', name: new URL(host.urlOf('/')).host },
    })
    await takeOut(server)
    await hand.runToEnd(await begun(put(server.user, server)))
    expect(await rows(server)).toMatchObject([{ id: row?.id }])
    expect(files()).toEqual([row?.volume])
    await takeOut(server)
    await clean()
  })

  test('make room for the next one of the same server', async () => {
    const server = await our.server()
    await hand.runToEnd(await begun(put(server.user, server)))
    const [first] = await rows(server)
    await takeOut(server)
    await hand.runToEnd(await begun(put(server.user, server, '/b.iso')))
    const [second, ...more] = await rows(server)
    expect([second?.id === first?.id, more]).toEqual([false, []])
    expect(files()).toEqual([second?.volume])
    await takeOut(server)
    await clean()
  })

  test('with another checksum are refused in words, and leave no file', async () => {
    const server = await our.server()
    const jobId = await begun(put(server.user, server, '/a.iso', '0'.repeat(64)))
    await hand.run(jobId)
    expect(await failureOf(jobId)).toContain('has another SHA-256 than you gave')
    await expectUntouched(server)
    expect(files()).toEqual([])
    await hand.cdSweep()
    expect(await rows(server)).toEqual([])
  })

  test('are asked for again right before the node does', async () => {
    const server = await our.server()
    host.serve('/turns.iso')
    const jobId = await begun(put(server.user, server, '/turns.iso'))
    const before = downloads()
    const location = 'https://169.254.169.254/latest/meta-data'
    const turn = async () =>
      host.answer('/turns.iso', () => ({ status: 302, headers: { location } }))
    await hand.run(jobId, asBegins('fetch', turn))
    expect(await failureOf(jobId)).toContain('redirects to another one')
    expect(downloads()).toBe(before)
    await expectUntouched(server)
    expect([files(), await rows(server)]).toEqual([[], []])
  })

  test.each(['fetch', 'remember', 'put-in', 'start', 'commit'])(
    'are deleted by the sweep when %s fails for good',
    async (step) => {
      const server = await our.server()
      const jobId = await begun(put(server.user, server))
      await hand.run(jobId, broken(step))
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
      await expectUntouched(server)
      await hand.cdSweep()
      expect([files(), await rows(server)]).toEqual([[], []])
    },
  )

  test('are deleted after fourteen days and not before, and never out of a drive', async () => {
    const server = await our.server()
    await hand.runToEnd(await begun(put(server.user, server)))
    clock.advance(13 * DAY_MS)
    const [row] = await rows(server)
    await t.db.update(ownIsos).set({ expiresAt: new Date(clock.now().getTime() + DAY_MS) })
    await takeOut(server)
    await hand.cdSweep()
    expect(files()).toEqual([row?.volume])
    await hand.runToEnd(await begun(put(server.user, server)))
    await t.db.update(ownIsos).set({ expiresAt: new Date(clock.now().getTime() - 1) })
    await hand.cdSweep()
    expect(files()).toEqual([row?.volume])
    await takeOut(server)
    await hand.cdSweep()
    expect([files(), await rows(server)]).toEqual([[], []])
  })

  test('of a server that is gone are deleted; a cluster that refuses is asked later', async () => {
    const server = await our.server()
    await hand.runToEnd(await begun(put(server.user, server)))
    await takeOut(server)
    const [row] = await rows(server)
    await t.db
      .update(ownIsos)
      .set({ instanceId: null })
      .where(eq(ownIsos.id, row?.id ?? 0))
    t.sim.faults.add({ kind: 'task-error', method: 'DELETE', path: /content/, message: 'no' })
    await hand.cdSweep()
    t.sim.faults.clear()
    expect(files()).toEqual([row?.volume])
    await hand.cdSweep()
    expect(files()).toEqual([row?.volume])
    clock.advance(11 * 60_000)
    await hand.cdSweep()
    expect(files()).toEqual([])
    expect(await t.db.select().from(ownIsos)).toEqual([])
  })

  test('stay with the former owner of a server that is handed over: in no answer, and as no file', async () => {
    const server = await our.server()
    const params = { id: server.id }
    await hand.runToEnd(await begun(put(server.user, server)))
    await takeOut(server)
    expect((await t.as(server.user).call(api.cds.get, { params })).own).not.toBeNull()
    const receiver = await t.make.client()
    const { body } = await our.take(receiver, await our.codeFor(server))
    expect((await t.as(receiver).call(api.cds.get, { params })).own).toBeNull()
    expect(files()).toHaveLength(1)
    await hand.cdSweep()
    expect([files(), await t.db.select().from(ownIsos)]).toEqual([[], []])
    await hand.run(body.jobId)
  })

  test('are refused without a right, a checksum, or for a server of somebody else', async () => {
    const server = await our.server()
    const asked = host.asked.length
    const params = { id: server.id }
    const client = t.as(server.user)
    const url = host.urlOf('/a.iso')
    expect((await put(await t.make.client(), server)).status).toBe(404)
    expect((await client.attempt(api.cds.insert, { params, body: { url } })).status).toBe(400)
    const body = { url, sha256: 'abc' }
    expect((await client.attempt(api.cds.insert, { params, body })).status).toBe(400)
    await t.db.update(instances).set({ nodeId: null }).where(eq(instances.id, server.id))
    expect(await put(server.user, server)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('does not allow us to download') },
    })
    expect(host.asked).toHaveLength(asked)
    expect(await rows(server)).toEqual([])
  })
})
