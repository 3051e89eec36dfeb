import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { instances, serverCds, tokens } from '../../db/schema/stock.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { openBackups } from '../testing/backups.ts'
import { asBegins } from '../testing/by-hand.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)('a backup that waits for its turn, on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const { shop, hand, ...our } = await openBackups(t)

  const statusOf = async (server: SoldServer) => (await our.row(server)).status
  const failureOf = async (jobId: string) => (await shop.jobRow(jobId)).failure?.publicMessage
  const notYet = (jobId: string) => expect(hand.run(jobId)).rejects.toThrow(RunAgainError)

  /** Another server of the node is being backed up: this one waits, and something happens. */
  const whileItWaits = async (happens: (server: SoldServer, jobId: string) => Promise<unknown>) => {
    const [first, server] = [await our.server(), await our.server()]
    const firstJob = await our.begin(our.ask(first.user, first))
    const jobId = await our.begin(our.ask(server.user, server))
    await hand.run(
      firstJob,
      asBegins('make', async () => {
        await notYet(jobId)
        await happens(server, jobId)
      }),
    )
    return { server, jobId }
  }

  test('leaves its server to its client, who switches it off and on', async () => {
    const { server, jobId } = await whileItWaits(async (waiting) => {
      const { id, user } = waiting
      expect(await statusOf(waiting)).toBe('running')
      await t.as(user).call(api.instances.stop, { params: { id } })
      expect(our.vmOf(waiting).qmp).toBe('stopped')
      await t.as(user).call(api.instances.start, { params: { id } })
      expect(our.vmOf(waiting).qmp).toBe('running')
    })
    const meanwhile: string[] = []
    await hand.run(
      jobId,
      asBegins('make', async () => {
        const params = { id: server.id }
        const { status } = await t.as(server.user).attempt(api.instances.stop, { params })
        meanwhile.push(await statusOf(server), String(status))
      }),
    )
    expect(meanwhile).toEqual(['updating', '409'])
    expect(await our.rows(server)).toMatchObject([{ state: 'ready', turn: null }])
    expect([await statusOf(server), our.vmOf(server).qmp]).toEqual(['running', 'running'])
  })

  test('is the only one of its server, and the page says why', async () => {
    const why = expect.stringContaining('waits for its turn')
    const { server } = await whileItWaits(async (waiting) => {
      const presses = Array.from({ length: 50 }, () => our.ask(waiting.user, waiting))
      for (const answer of await Promise.all(presses)) {
        expect(answer).toMatchObject({ status: 409, body: { message: why } })
      }
      expect(await our.list(waiting)).toMatchObject({
        refusal: why,
        backups: [{ isWaiting: true }],
      })
    })
    expect(await our.rows(server)).toHaveLength(1)
  })

  test('comes after what is being done with its server by then', async () => {
    const { server, jobId } = await whileItWaits(async () => undefined)
    const isIt = eq(instances.id, server.id)
    await t.db.update(instances).set({ status: 'reinstalling' }).where(isIt)
    await notYet(jobId)
    expect(await failureOf(jobId)).toContain('Another action is running on this server.')
    expect([await statusOf(server), our.inCluster(server)]).toEqual(['reinstalling', []])
    expect(await our.rows(server)).toMatchObject([{ turn: null }])
    await t.db.update(instances).set({ status: 'running' }).where(isIt)
    await hand.runToEnd(jobId)
    expect(await our.rows(server)).toMatchObject([{ state: 'ready' }])
  })

  test('is not made with a CD that its client put in meanwhile', async () => {
    const { server, jobId } = await whileItWaits((waiting) =>
      t.db.insert(serverCds).values({
        instanceId: waiting.id,
        kind: 'iso',
        name: 'Some system',
        volume: 'local:iso/some.iso',
        slot: 'ide2',
        putInAt: t.deps.clock.now(),
      }),
    )
    await notYet(jobId)
    expect(await failureOf(jobId)).toContain('A CD is in this server')
    expect(our.inCluster(server)).toEqual([])
    await t.db.delete(serverCds).where(eq(serverCds.instanceId, server.id))
    await hand.runToEnd(jobId)
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('is of the system that its server has by then', async () => {
    const { server, jobId } = await whileItWaits(({ tokenId }) =>
      t.db
        .update(tokens)
        .set({ osType: 'Arch Linux', username: 'arch' })
        .where(eq(tokens.id, tokenId)),
    )
    await hand.runToEnd(jobId)
    expect(await our.rows(server)).toMatchObject([{ osType: 'Arch Linux', username: 'arch' }])
  })

  test('is not made of a server that was suspended meanwhile', async () => {
    const { server, jobId } = await whileItWaits(({ id }) =>
      shop.admin.call(api.instances.suspend, { params: { id }, body: { reason: 'Abuse' } }),
    )
    await hand.runToEnd(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect(await failureOf(jobId)).toContain('suspended meanwhile')
    expect([await our.rows(server), our.inCluster(server)]).toEqual([[], []])
    expect(await statusOf(server)).not.toBe('updating')
  })

  test('can be cancelled by its owner, once, and another asked for at once', async () => {
    const { server, jobId } = await whileItWaits(async (waiting) => {
      const [row] = await our.rows(waiting)
      const stranger = (await our.server()).user
      expect((await our.askDelete(stranger, waiting, row?.id ?? 0)).status).toBe(404)
      const presses = [1, 2, 3].map(() => our.askDelete(waiting.user, waiting, row?.id ?? 0))
      const answers = (await Promise.all(presses)).map(({ status }) => status)
      expect(answers.toSorted()).toEqual([202, 404, 404])
      expect(await our.rows(waiting)).toEqual([])
    })
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect([our.inCluster(server), await statusOf(server)]).toEqual([[], 'running'])
    await our.make(server)
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('cannot be cancelled any more once it is being made', async () => {
    const server = await our.server()
    const jobId = await our.begin(our.ask(server.user, server))
    const late = asBegins('make', async () => {
      const [row] = await our.rows(server)
      expect((await our.askDelete(server.user, server, row?.id ?? 0)).status).toBe(409)
    })
    await hand.run(jobId, late)
    expect(our.inCluster(server)).toHaveLength(1)
  })

  test('that is cancelled as its turn comes is either made whole or not at all', async () => {
    for (let tries = 0; tries < 8; tries += 1) {
      const server = await our.server()
      const jobId = await our.begin(our.ask(server.user, server))
      const [row] = await our.rows(server)
      const [, { status }] = await Promise.all([
        hand.runToEnd(jobId),
        our.askDelete(server.user, server, row?.id ?? 0),
      ])
      expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
      expect(our.inCluster(server)).toHaveLength(status === 202 ? 0 : 1)
      expect(await our.rows(server)).toHaveLength(status === 202 ? 0 : 1)
      expect(await statusOf(server)).toBe('running')
    }
  })
})
