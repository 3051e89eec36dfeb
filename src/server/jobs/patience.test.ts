import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { HOUR_MS } from '#shared/rules/time/durations.ts'
import { jobSteps } from '../db/schema/work.ts'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { LONGEST_PAUSE_MS, RETRY_FOR_MS, RunAgainError } from './job-runner.ts'
import { COULD_NOT } from './public-failure.ts'
import { byHand, down, makeWorld } from './testing/build-job.ts'

describe.each(BOTH_DATABASES)('the patience of a job on %s', async (database) => {
  const t = await testApp({ database, withJobs: true })

  /** A job whose second step fails, under a clock that the test moves. */
  async function failingJob() {
    const world = makeWorld()
    world.failing.set('clone', down)
    const hand = await byHand(t, world)
    let passed = 0
    hand.runner.clock = { now: () => new Date(Date.now() + passed) }
    const failed = async () => {
      await expect(hand.run()).rejects.toThrow(RunAgainError)
      expect(await hand.row()).toMatchObject({ state: 'waiting' })
    }
    const pass = (ms: number) => {
      passed += ms
    }
    return { ...hand, world, pass, failed }
  }

  test('ends after pauses of a quarter of an hour', async () => {
    const { run, row, world, pass, failed } = await failingJob()
    await failed()
    for (let pauses = 0; pauses < RETRY_FOR_MS / LONGEST_PAUSE_MS; pauses += 1) {
      pass(LONGEST_PAUSE_MS)
      await failed()
    }
    pass(LONGEST_PAUSE_MS)
    await run()
    // The client does not read that it is still being tried.
    expect(await row()).toMatchObject({ state: 'failed', failure: { publicMessage: COULD_NOT } })
    expect([...world.things]).toEqual([])
  })

  test('is not used up by the time that a step works before it fails', async () => {
    const { run, row, world, pass } = await failingJob()
    const copying = () => {
      pass(HOUR_MS)
      return down()
    }
    world.failing.set('clone', copying)
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(run()).rejects.toThrow(RunAgainError)
    }
    world.failing.clear()
    await run()
    expect(await row()).toMatchObject({ state: 'done' })
  })

  test('is not used up by the time in which our process was not there to try', async () => {
    const { pass, failed } = await failingJob()
    await failed()
    pass(24 * HOUR_MS)
    await failed()
  })

  test('begins anew with the next step', async () => {
    const { run, row, world, pass, failed } = await failingJob()
    await failed()
    for (let pauses = 0; pauses < 2; pauses += 1) {
      pass(LONGEST_PAUSE_MS)
      await failed()
    }
    pass(LONGEST_PAUSE_MS)
    world.failing.clear()
    world.failing.set('start', down)
    await failed()
    pass(LONGEST_PAUSE_MS)
    await failed()
    world.failing.clear()
    await run()
    expect(await row()).toMatchObject({ state: 'done' })
  })

  test('is remembered by a process that follows one which died', async () => {
    const { id, store, failed } = await failingJob()
    await failed()
    const taken = await store.take(id)
    await store.intend({ jobId: id, attempt: taken?.attempts ?? 0 }, 'clone', 0)
    const rows = await t.db.select().from(jobSteps).where(eq(jobSteps.jobId, id))
    expect(rows.find(({ step }) => step === 'clone')).toMatchObject({
      state: 'intended',
      failure: { code: 'CLUSTER_UNAVAILABLE', paused: { ms: 0 } },
    })
  })

  test('a failure while the process stops decides nothing', async () => {
    const { run, row, steps, runner, world } = await failingJob()
    world.failing.set('clone', () => new AppError('NOT_FOUND', 'The connection is closed.'))
    runner.isStopping = () => true
    await expect(run()).rejects.toThrow(RunAgainError)
    expect(await row()).toMatchObject({ state: 'running', failure: null })
    expect(await steps()).toEqual({ claim: 'done', clone: 'intended' })
    runner.isStopping = () => false
    world.failing.clear()
    await run()
    expect(await row()).toMatchObject({ state: 'done' })
  })
})
