import { eq } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { heartbeats, jobs } from '../db/schema/work.ts'
import { testApp } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { defineJob } from './job-definition.ts'
import { RunAgainError } from './job-runner.ts'
import { byHand, down, makeWorld, STEPS } from './testing/build-job.ts'

/** Lasts until it is told to end. */
function makeLongJob() {
  const { promise, resolve: open } = Promise.withResolvers<void>()
  const step = { name: 'last', run: () => promise }
  const job = defineJob({
    kind: 'last',
    isLong: true,
    input: z.object({}),
    title: () => 'Last',
    steps: [step],
  })
  return { job, open }
}

const gone = () => new AppError('NOT_FOUND', 'The template is gone.')

describe.each(BOTH_DATABASES)('a job with steps on %s', async (database) => {
  const t = await testApp({ database, withJobs: true })

  test('runs its steps in order, once', async () => {
    const world = makeWorld()
    const { run, row, steps } = await byHand(t, world)
    await run()
    expect(world.calls).toEqual(['run claim', 'run clone', 'run start'])
    expect(await row()).toMatchObject({ state: 'done', progress: 1, failure: null })
    expect(await steps()).toEqual({ claim: 'done', clone: 'done', start: 'done' })
    await run()
    expect(world.calls).toHaveLength(3)
  })

  test.each(STEPS)('killed after %s, continues from there', async (step) => {
    const world = makeWorld()
    const { id, store, run, row } = await byHand(t, world)
    const taken = await store.take(id)
    const lease = { jobId: id, attempt: taken?.attempts ?? 0 }
    for (const name of STEPS.slice(0, STEPS.indexOf(step) + 1)) {
      await store.intend(lease, name, 0)
      await store.stepDone(lease, name, { after: name }, 0)
    }
    await run()
    expect(world.calls).toEqual(STEPS.slice(STEPS.indexOf(step) + 1).map((name) => `run ${name}`))
    expect(await row()).toMatchObject({ state: 'done' })
  })

  test.each(STEPS)('killed in the middle of %s, repeats that step', async (step) => {
    const world = makeWorld()
    const { id, store, run, row } = await byHand(t, world)
    const taken = await store.take(id)
    const lease = { jobId: id, attempt: taken?.attempts ?? 0 }
    for (const name of STEPS.slice(0, STEPS.indexOf(step))) {
      await store.intend(lease, name, 0)
      await store.stepDone(lease, name, null, 0)
    }
    await store.intend(lease, step, 0)
    await run()
    expect(world.calls[0]).toBe(`run ${step}`)
    expect(await row()).toMatchObject({ state: 'done' })
  })

  test.each(STEPS)('unwinds after a failure of %s and leaves nothing behind', async (step) => {
    const world = makeWorld()
    world.failing.set(step, gone)
    const { run, row } = await byHand(t, world)
    await run()
    expect(await row()).toMatchObject({
      state: 'failed',
      failure: { code: 'NOT_FOUND', message: 'The template is gone.', retry: 'never' },
    })
    expect([...world.things]).toEqual([])
    const undone = world.calls.filter((call) => call.startsWith('undo'))
    const reached = STEPS.slice(0, STEPS.indexOf(step) + 1)
    expect(undone).toEqual(reached.toReversed().map((name) => `undo ${name}`))
  })

  test.each(STEPS)('retries a failed undo of %s, and a second undo is harmless', async (step) => {
    const world = makeWorld()
    world.failing.set('start', gone).set(`undo ${step}`, down)
    const { run, row } = await byHand(t, world)
    await expect(run()).rejects.toThrow(RunAgainError)
    expect(await row()).toMatchObject({ state: 'undoing' })
    world.failing.delete(`undo ${step}`)
    await run()
    expect(await row()).toMatchObject({ state: 'failed' })
    expect([...world.things]).toEqual([])
  })

  test('waits while the failure is temporary, then continues', async () => {
    const world = makeWorld()
    world.failing.set('clone', down)
    const { run, row } = await byHand(t, world)
    await expect(run()).rejects.toThrow(RunAgainError)
    expect(await row()).toMatchObject({ state: 'waiting', failure: { retry: 'later' } })
    world.failing.clear()
    await run()
    expect(await row()).toMatchObject({ state: 'done', failure: null })
    expect(world.calls.filter((call) => call === 'run claim')).toHaveLength(1)
  })

  test('a worker that lost the job to another writes nothing more', async () => {
    const world = makeWorld()
    const { id, store, run, row } = await byHand(t, world)
    const first = await store.take(id)
    await run()
    const lease = { jobId: id, attempt: first?.attempts ?? 0 }
    await expect(store.finish(lease, 'failed')).rejects.toThrow(/taken over/)
    expect(await row()).toMatchObject({ state: 'done' })
  })

  test('can be run again by hand after it failed', async () => {
    const world = makeWorld()
    world.failing.set('clone', gone)
    const { id, run, row } = await byHand(t, world)
    expect(await t.deps.jobs.retry(id)).toBe(false)
    await run()
    world.failing.clear()
    expect(await t.deps.jobs.retry(id)).toBe(true)
    await run()
    expect(await row()).toMatchObject({ state: 'done' })
  })
})

describe.each(BOTH_DATABASES)('the queue on %s', async (database) => {
  const t = await testApp({ database })
  const world = makeWorld()
  const longJob = makeLongJob()
  t.deps.jobs.define(world.job)
  t.deps.jobs.define(longJob.job)
  let isReceiverSilent = false
  const asked = Promise.withResolvers<void>()
  t.deps.jobs.often('ask a receiver', 20, async () => {
    if (!isReceiverSilent) return
    asked.resolve()
    await new Promise(() => {})
  })
  await t.deps.jobs.start()
  const client = await t.make.client()

  test('delivers, and reports progress to the owner and the admins', async () => {
    const told: string[] = []
    const stop = t.deps.events.subscribe([`user:${client.id}`], ({ body }) => {
      if (body.type === 'job') told.push(body.job.state)
    })
    const name = crypto.randomUUID()
    await t.db.transaction((tx) =>
      t.deps.jobs.enqueue(tx, world.job, { name }, { ownerId: client.id }),
    )
    await vi.waitFor(() => expect(told.at(-1)).toBe('done'), { timeout: 20_000 })
    expect(told[0]).toBe('queued')
    expect(world.things.has(`${name} start`)).toBe(true)
    stop()
  })

  test('gets no job from a transaction that fails', async () => {
    const name = crypto.randomUUID()
    const failing = t.db.transaction(async (tx) => {
      await t.deps.jobs.enqueue(tx, world.job, { name })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    const rows = await t.db.select().from(jobs)
    expect(rows.filter((row) => JSON.stringify(row.input).includes(name))).toEqual([])
  })

  test('retries without help once the cause has passed', async () => {
    world.failing.set('start', down)
    const id = await t.db.transaction((tx) =>
      t.deps.jobs.enqueue(tx, world.job, { name: crypto.randomUUID() }),
    )
    const stateOf = async () => (await t.db.select().from(jobs).where(eq(jobs.id, id)))[0]?.state
    await vi.waitFor(async () => expect(await stateOf()).toBe('waiting'), { timeout: 20_000 })
    world.failing.clear()
    await vi.waitFor(async () => expect(await stateOf()).toBe('done'), { timeout: 20_000 })
  })

  test('runs a short job while as many long ones last as there are workers for short ones', async () => {
    const { job: wait, open } = longJob
    const ids: string[] = []
    for (let count = 0; count < 6; count += 1) {
      ids.push(await t.db.transaction((tx) => t.deps.jobs.enqueue(tx, wait, {})))
    }
    const stateOf = async (id: string) =>
      (await t.db.select().from(jobs).where(eq(jobs.id, id)))[0]?.state
    const input = { name: crypto.randomUUID() }
    const short = await t.db.transaction((tx) => t.deps.jobs.enqueue(tx, world.job, input))
    await vi.waitFor(async () => expect(await stateOf(short)).toBe('done'), { timeout: 20_000 })
    expect(await Promise.all(ids.map(stateOf))).not.toContain('done')
    open()
    await vi.waitFor(
      async () => expect(new Set(await Promise.all(ids.map(stateOf)))).toEqual(new Set(['done'])),
      { timeout: 20_000 },
    )
  })

  test('releases everything when stopped, also while a receiver of recurring work is silent', async () => {
    isReceiverSilent = true
    await asked.promise
    expect(await t.db.select().from(heartbeats)).not.toEqual([])
    await t.deps.jobs.stop()
    expect(await t.db.select().from(heartbeats)).toEqual([])
    const late = t.db.transaction((tx) => t.deps.jobs.enqueue(tx, world.job, { name: 'late' }))
    await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
