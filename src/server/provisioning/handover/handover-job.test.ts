import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { AppError } from '#shared/errors.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { handoverCodes } from '../../db/schema/handovers.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'
import type { LogTarget } from '../../http/observe/logger.ts'
import { losePatience } from '../../jobs/testing/lose-patience.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { type Bend, twice } from '../testing/by-hand.ts'
import { openHandovers } from '../testing/handovers.ts'
import type { SoldServer } from '../testing/reinstalls.ts'
import { HANDOVER } from './handover-job.ts'

const STEPS = ['remember', 'configure', 'restart', 'commit']

describe.each(BOTH_DATABASES)('replacing the login of a server on %s', async (database) => {
  const lines: string[] = []
  const logTo: LogTarget = { write: (line: string) => void lines.push(line) }
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock, logTo, env: { LOG_LEVEL: 'trace' } })
  const { shop, hand, ...our } = await openHandovers(t)

  beforeEach(() => void lines.splice(0))

  const reveal = ({ id, user }: SoldServer) =>
    t.as(user).attempt(api.instances.reveal, { params: { id } })
  const setToken = ({ tokenId }: SoldServer, values: Partial<typeof tokens.$inferInsert>) =>
    t.db.update(tokens).set(values).where(eq(tokens.id, tokenId))
  const restarts = (server: SoldServer) => our.vmOf(server).guest.booted
  const withKey = async (receiver: { id: number; role: string }) => [
    (await our.key(receiver, PUBLIC_KEYS.ed25519.publicKey)).id,
  ]

  test('shows no password until the guest was started with it', async () => {
    const { server, mine, jobId } = await our.taken()
    expect(await our.page(mine.user, mine)).toMatchObject({
      isLoginPending: true,
      hasPassword: false,
      jobs: [{ id: jobId, kind: 'handover', state: 'queued' }],
      can: {
        reveal: { allowed: false, why: 'The login is being replaced.' },
        transfer: { why: 'Its login is still being replaced. Try again in some minutes.' },
      },
    })
    expect(await reveal(mine)).toMatchObject({
      status: 409,
      body: { code: 'NO_PASSWORD', message: 'The login is being replaced. Look again soon.' },
    })
    const seen: string[] = []
    const look: Bend = (steps) =>
      steps.map((step) => ({
        ...step,
        run: async (context) => {
          seen.push((await our.logins(server)).stored.password)
          return step.run(context)
        },
      }))
    await hand.run(jobId, look)
    expect(seen).toEqual(['', '', '', ''])
    const { stored, given, booted } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(booted).toEqual({ user: stored.user, password: stored.password })
    expect(stored.password).not.toBe('')
    expect((await reveal(mine)).body).toEqual({ username: 'root', password: stored.password })
    expect(await our.page(mine.user, mine)).toMatchObject({
      isLoginPending: false,
      hasPassword: true,
      jobs: [],
      can: { transfer: { allowed: true } },
    })
    const steps = await our.stepsOf(jobId)
    expect(steps.find(({ step }) => step === 'remember')?.output).toMatchObject({ password: null })
    expect(lines.join('')).not.toContain(stored.password)
  })

  test('is another password than the former owner had', async () => {
    const server = await our.server()
    const before = await our.logins(server)
    const receiver = await t.make.client()
    const { body } = await our.take(receiver, await our.codeFor(server))
    await hand.run(body.jobId)
    const after = await our.logins(server)
    expect(after.stored.password).not.toBe(before.stored.password)
    expect(our.vmOf(server).qmp).toBe('running')
  })

  test('with keys leaves no password anywhere', async () => {
    const { server, mine, jobId } = await our.taken(withKey)
    await hand.run(jobId)
    const { stored, given } = await our.logins(server)
    expect(stored.password).toBe('')
    expect(stored.keys).toBe(PUBLIC_KEYS.ed25519.publicKey.split(' ').slice(0, 2).join(' '))
    expect(given).toEqual(stored)
    expect(our.vmOf(server).config.cipassword).toBeUndefined()
    expect(await our.page(mine.user, mine)).toMatchObject({
      isLoginPending: false,
      hasPassword: false,
    })
    expect((await reveal(mine)).body).toMatchObject({ message: 'This server has no password.' })
  })

  test('every step twice is as once', async () => {
    const { server, jobId } = await our.taken()
    await hand.run(jobId, twice)
    const { stored, given, booted } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(booted).toEqual({ user: stored.user, password: stored.password })
    expect(our.vmOf(server).qmp).toBe('running')
  })

  test.each(STEPS)('goes on after a process that died in the step %s', async (name) => {
    for (const isBefore of [true, false]) {
      const { server, jobId } = await our.taken()
      const die: Bend = (steps) =>
        steps.map((step) => ({
          ...step,
          run: async (context) => {
            const output = step.name === name && isBefore ? undefined : await step.run(context)
            if (step.name === name) throw new AppError('INTERNAL', 'killed')
            return output
          },
        }))
      await expect(hand.run(jobId, die)).rejects.toThrow('the job waits for its next try')
      await hand.run(jobId)
      const { stored, given, booted } = await our.logins(server)
      expect(given).toEqual(stored)
      expect(booted).toEqual({ user: stored.user, password: stored.password })
      expect(our.vmOf(server).qmp).toBe('running')
      expect(await our.handover(server)).toMatchObject({ loginSetAt: clock.now() })
    }
  })

  test('starts a server again that was off when the process died', async () => {
    const { server, jobId } = await our.taken()
    const die: Bend = (steps) =>
      steps.map((step) => ({
        ...step,
        run: async (context) => {
          if (step.name !== 'restart') return step.run(context)
          our.vmOf(server).qmp = 'stopped'
          throw new AppError('INTERNAL', 'killed')
        },
      }))
    await expect(hand.run(jobId, die)).rejects.toThrow('the job waits for its next try')
    await hand.run(jobId)
    expect(our.vmOf(server).qmp).toBe('running')
  })

  test('leaves a server off that was off', async () => {
    const server = await our.server()
    const receiver = await t.make.client()
    const code = await our.codeFor(server)
    await t.as(server.user).call(api.instances.stop, { params: { id: server.id } })
    const booted = restarts(server)
    const { body } = await our.take(receiver, code)
    await hand.run(body.jobId)
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(restarts(server)).toBe(booted)
    await t.as(receiver).call(api.instances.start, { params: { id: server.id } })
    const { stored, booted: started } = await our.logins(server)
    expect(started).toEqual({ user: stored.user, password: stored.password })
  })

  test('keeps a server off whose time ended meanwhile', async () => {
    const { server, jobId } = await our.taken()
    const expire: Bend = (steps) =>
      steps.map((step) => ({
        ...step,
        run: async (context) => {
          if (step.name === 'restart') await setToken(server, { status: 'expired' })
          return step.run(context)
        },
      }))
    await hand.run(jobId, expire)
    expect(our.vmOf(server).qmp).toBe('stopped')
    expect(await our.handover(server)).toMatchObject({ loginSetAt: clock.now() })
  })

  test('does nothing to a server that its new owner ended', async () => {
    const { server, mine, jobId } = await our.taken()
    const { id, name, user } = mine
    await t
      .as(user)
      .call(api.instances.end, { params: { id }, body: { refund: 'none', confirm: name } })
    const before = our.vmOf(server).config.cipassword
    await hand.run(jobId)
    expect(our.vmOf(server).config.cipassword).toBe(before)
    expect((await shop.jobRow(jobId)).state).toBe('done')
    await hand.runAll()
  })

  test('replaces the login after all where that server is restored', async () => {
    const { server, mine, jobId } = await our.taken()
    const { id, name, user, tokenId } = mine
    const former = await our.logins(server)
    await t
      .as(user)
      .call(api.instances.end, { params: { id }, body: { refund: 'none', confirm: name } })
    await hand.runAll()
    expect((await shop.jobRow(jobId)).state).toBe('done')
    // Nothing to do while it is over.
    await hand.handovers()
    expect(await our.jobsOf(server)).toEqual([])
    await shop.admin.call(api.tokens.restore, { params: { id: tokenId } })
    await Promise.all([hand.handovers(), hand.handovers()])
    await hand.handovers()
    expect(await our.jobsOf(server)).toMatchObject([{ kind: HANDOVER }])
    await hand.runAll()
    const now = await our.logins(server)
    expect(now.given).toEqual(now.stored)
    expect(now.stored.password).not.toBe('')
    expect(now.given).not.toEqual(former.given)
    expect(await our.page(user, mine)).toMatchObject({ isLoginPending: false })
  })

  test('waits while the cluster is away, and is tried again after the job has given up', async () => {
    const { server, jobId } = await our.taken()
    t.sim.faults.add({ kind: 'refuse' })
    await expect(hand.run(jobId)).rejects.toThrow('the job waits for its next try')
    await losePatience(t.db)
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    await hand.handovers()
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    await t.db
      .update(jobs)
      .set({ updatedAt: sql`now() - interval '5 minutes'` })
      .where(eq(jobs.id, jobId))
    await hand.handovers()
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'queued' })
    t.sim.faults.clear()
    await hand.run(jobId)
    const { stored, given } = await our.logins(server)
    expect(given).toEqual(stored)
    expect(stored.password).not.toBe('')
  })

  test('gives way to a reinstallation, which sets a login of its own', async () => {
    const { server, mine, jobId } = await our.taken()
    expect(await our.ask(mine.user, mine)).toMatchObject({
      status: 409,
      body: { message: 'The login is being replaced. Reinstall it when that is done.' },
    })
    const fail: Bend = (steps) =>
      steps.map((step) => ({
        ...step,
        run: async () => {
          throw new AppError('INVALID_STATE', 'broken')
        },
      }))
    await hand.run(jobId, fail)
    const { status, body } = await our.ask(mine.user, mine)
    expect(status).toBe(202)
    await hand.retry(jobId)
    await expect(hand.run(jobId)).rejects.toThrow('the job waits for its next try')
    await hand.run(body.jobId)
    const after = await our.logins(server)
    await hand.run(jobId)
    expect(await our.logins(server)).toEqual(after)
    expect(after.given).toEqual(after.stored)
    expect(await our.page(mine.user, mine)).toMatchObject({ isLoginPending: false })
  })

  test('forgets codes whose time is over', async () => {
    const server = await our.server()
    await our.codeFor(server)
    const codes = () =>
      t.db.select().from(handoverCodes).where(eq(handoverCodes.tokenId, server.tokenId))
    await hand.handovers()
    expect(await codes()).toHaveLength(1)
    clock.advance(DAY_MS)
    await hand.handovers()
    expect(await codes()).toEqual([])
  })
})
