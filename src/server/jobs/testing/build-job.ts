import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { jobSteps, jobs } from '../../db/schema/work.ts'
import type { TestApp } from '../../testing/test-app.ts'
import { defineJob, type Step } from '../job-definition.ts'
import { type RunnerDeps, runJob } from '../job-runner.ts'
import { createJobStore } from '../job-store.ts'

export const STEPS = ['claim', 'clone', 'start'] as const

/** A stand-in for external systems: what exists, and how often each call was really made. */
type BuildStep = Step<{ name: string }, { after: string }>

export function makeWorld() {
  const things = new Set<string>()
  const calls: string[] = []
  const failing = new Map<string, () => Error>()
  const stepOf = (step: string, first?: BuildStep): BuildStep => ({
    name: step,
    async run({ input, output }) {
      calls.push(`run ${step}`)
      const fail = failing.get(step)
      if (fail) throw fail()
      things.add(`${input.name} ${step}`)
      return { after: (first && output(first)?.after) ?? step }
    },
    async undo({ input }) {
      calls.push(`undo ${step}`)
      const fail = failing.get(`undo ${step}`)
      if (fail) throw fail()
      things.delete(`${input.name} ${step}`)
    },
  })
  const claim = stepOf('claim')
  const job = defineJob({
    kind: 'build',
    input: z.object({ name: z.string() }),
    title: ({ name }) => `Build ${name}`,
    steps: STEPS.map((step) => (step === 'claim' ? claim : stepOf(step, claim))),
  })
  return { job, things, calls, failing }
}

export const down = () => new AppError('CLUSTER_UNAVAILABLE', 'The cluster did not answer.')

/** Enqueues without a worker and runs by hand, so that every moment can be inspected. */
export async function byHand(t: TestApp, world: ReturnType<typeof makeWorld>) {
  const store = createJobStore(t.db, t.deps.events)
  const id = await t.db.transaction((tx) =>
    t.deps.jobs.enqueue(tx, world.job, { name: crypto.randomUUID() }),
  )
  const definitions = new Map([[world.job.kind, world.job]])
  const runner: RunnerDeps = { store, definitions, clock: t.deps.clock, log: t.deps.log }
  const row = async () => (await t.db.select().from(jobs).where(eq(jobs.id, id)))[0]
  const steps = async () => {
    const rows = await t.db.select().from(jobSteps).where(eq(jobSteps.jobId, id))
    return Object.fromEntries(rows.map(({ step, state }) => [step, state]))
  }
  return { id, store, run: () => runJob(runner, id), row, steps, runner }
}
