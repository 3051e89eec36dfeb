import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins, type Bend } from '../testing/by-hand.ts'
import { openHandovers } from '../testing/handovers.ts'
import type { SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)('the restart after a hand-over on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openHandovers(t)

  const stop = ({ id, user }: SoldServer) => t.as(user).call(api.instances.stop, { params: { id } })
  const start = ({ id, user }: SoldServer) =>
    t.as(user).call(api.instances.start, { params: { id } })
  const takenOff = async () => {
    const server = await our.server()
    const code = await our.codeFor(server)
    await stop(server)
    const receiver = await t.make.client()
    const { body } = await our.take(receiver, code)
    return { server, mine: { ...server, user: receiver }, jobId: body.jobId }
  }
  const expectNewLogin = async (server: SoldServer) => {
    const { stored, given, booted } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(booted).toEqual({ user: stored.user, password: stored.password })
    expect(our.vmOf(server).qmp).toBe('running')
  }
  /** The start fails for good, once, after the job has switched the server off. */
  const failToStart = () =>
    t.sim.faults.add({ kind: 'task-error', path: 'status/start', count: 1, message: 'no memory' })

  test('comes for a server that was off and is started before it is configured', async () => {
    const { server, mine, jobId } = await takenOff()
    await hand.run(
      jobId,
      asBegins('configure', () => start(mine)),
    )
    await expectNewLogin(server)
  })

  test('comes for a start that is still under way when it is configured', async () => {
    const { server, mine, jobId } = await takenOff()
    const vm = our.vmOf(server)
    const setStatus = (status: string) =>
      t.db
        .update(instances)
        .set({ status, lastUpdated: clock.now() })
        .where(eq(instances.id, server.id))
    const { hypervisor } = t.deps.hypervisors.of(t.cluster.id)
    const { prepare } = hypervisor
    const spy = vi.spyOn(hypervisor, 'prepare').mockImplementationOnce(async (...given) => {
      await start(mine)
      await setStatus('starting')
      vm.qmp = 'stopped'
      await prepare.apply(hypervisor, given)
    })
    await expect(hand.run(jobId)).rejects.toThrow('the job waits for its next try')
    spy.mockRestore()
    vm.qmp = 'running'
    await setStatus('running')
    await hand.run(jobId)
    await expectNewLogin(server)
  })

  test('comes also where the process dies while that server is off', async () => {
    const { server, mine, jobId } = await takenOff()
    const die: Bend = (steps, kind) =>
      asBegins('configure', () => start(mine))(steps, kind).map((step) => ({
        ...step,
        run: async (context) => {
          if (step.name !== 'restart') return step.run(context)
          our.vmOf(server).qmp = 'stopped'
          throw new AppError('INTERNAL', 'killed')
        },
      }))
    await expect(hand.run(jobId, die)).rejects.toThrow('the job waits for its next try')
    await hand.run(jobId)
    await expectNewLogin(server)
  })

  test('comes for a job that an older process has configured', async () => {
    const { server, jobId } = await our.taken()
    const inOlderWay: Bend = (steps) =>
      steps.map((step) => ({
        ...step,
        run: async (context) => {
          const output = await step.run(context)
          return step.name === 'configure' ? undefined : output
        },
      }))
    await hand.run(jobId, inOlderWay)
    await expectNewLogin(server)
  })

  test('starts what a job that gave up has left off, once that is retried', async () => {
    const { server, jobId } = await our.taken()
    failToStart()
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(await hand.retry(jobId)).toBe(true)
    await hand.run(jobId)
    await expectNewLogin(server)
  })

  test('leaves a server off that its new owner has stopped since, if the job had started it', async () => {
    const { server, mine, jobId } = await our.taken()
    const fail: Bend = (steps) =>
      steps.map((step) => ({
        ...step,
        run: async (context) => {
          if (step.name !== 'commit') return step.run(context)
          throw new AppError('CLUSTER_REFUSED', 'The cluster refuses it.')
        },
      }))
    await hand.run(jobId, fail)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    await stop(mine)
    await hand.retry(jobId)
    await hand.run(jobId)
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
  })
})
