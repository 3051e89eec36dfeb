import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { JobFailure, Paused } from '../db/schema/work.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import {
  describeEnd,
  describeFailure,
  type JobDefinition,
  NotYetError,
  type StepContext,
} from './job-definition.ts'
import {
  type JobRow,
  type JobStore,
  type Lease,
  LeaseLostError,
  type StepRow,
} from './job-store.ts'

/** How long a step that fails is tried again while the failure is temporary. */
export const RETRY_FOR_MS = 15 * MINUTE_MS
/** How long it is tried again if an operator has to notice and act first. */
const OPERATOR_MS = DAY_MS
/** A longer pause counts as this much: our process was not there to try, as after a power cut. */
export const LONGEST_PAUSE_MS = 5 * MINUTE_MS
/** After this long the person waiting for the job is notified. */
const LATE_MS = 2 * MINUTE_MS

/** How long it waits for its turn. */
const TURN_MS = 12 * HOUR_MS

/**
 * Only the pauses between the tries count: a copy may take an hour before it first fails, and a try
 * may wait for it as long again.
 */
function patienceWith(error: unknown, { code }: JobFailure): number {
  if (error instanceof NotYetError) return error.hasOwnEnd ? Number.POSITIVE_INFINITY : TURN_MS
  return code === 'CERTIFICATE_UNTRUSTED' ? OPERATOR_MS : RETRY_FOR_MS
}

/** Thrown to the queue: deliver this job again later. */
export class RunAgainError extends Error {
  constructor(cause: unknown) {
    super('the job waits for its next try', { cause })
    this.name = 'RunAgainError'
  }
}

export type RunnerDeps = {
  store: JobStore
  definitions: ReadonlyMap<string, JobDefinition>
  clock: Clock
  log: Log
  /** True while this process stops: what fails then may fail because of that. */
  isStopping?(): boolean
}

/**
 * Runs the remaining steps of a job, or undoes it. Returns when it has ended; throws to be called
 * again.
 */
export async function runJob(deps: RunnerDeps, jobId: string): Promise<void> {
  const { store, definitions, clock, log } = deps
  const kind = await store.kindOf(jobId)
  if (kind === undefined) return
  const definition = definitions.get(kind)
  // Checked before taking the job: during an upgrade another process may know this kind and be
  // running it.
  if (!definition) throw new RunAgainError(new Error(`no worker here knows ${kind}`))
  const row = await store.take(jobId)
  if (!row) return
  const lease: Lease = { jobId, attempt: row.attempts }
  const run: Run = {
    store,
    lease,
    definition,
    input: definition.input.parse(row.input),
    outputs: new Map(),
    done: new Set(),
    touched: new Set(),
    paused: new Map(),
    isGivenUp: row.givenUpAt !== null,
    isLate: () => clock.now().getTime() - row.createdAt.getTime() > LATE_MS,
  }
  for (const step of await store.steps(jobId)) remember(run, step)
  try {
    const isComplete = row.state === 'undoing' ? false : await runSteps(run, row, deps)
    if (isComplete) await store.finish(lease, 'done')
    else {
      await undoSteps(run, log)
      await store.finish(lease, 'failed')
    }
  } catch (error) {
    if (error instanceof LeaseLostError) return log.warn({ jobId }, error.message)
    throw error
  }
}

type Run = {
  store: JobStore
  lease: Lease
  definition: JobDefinition
  input: unknown
  outputs: Map<string, unknown>
  done: Set<string>
  /** Steps that may have had an effect. */
  touched: Set<string>
  /** Of steps that have failed so far. */
  paused: Map<string, Paused>
  isGivenUp: boolean
  isLate(): boolean
}

function remember(run: Run, { step, state, output, failure }: StepRow): void {
  if (state === 'done') run.done.add(step)
  if (failure?.paused) run.paused.set(step, failure.paused)
  if (state !== 'undone') run.touched.add(step)
  run.outputs.set(step, output ?? undefined)
}

/** Returns true if every step is done, false if the job is to be undone. */
async function runSteps(run: Run, row: JobRow, deps: RunnerDeps): Promise<boolean> {
  const { steps } = run.definition
  for (const [index, step] of steps.entries()) {
    if (run.done.has(step.name)) continue
    const began = deps.clock.now().getTime()
    await run.store.intend(run.lease, step.name, index / steps.length)
    run.touched.add(step.name)
    try {
      const output = await step.run(context(run, index))
      await run.store.stepDone(run.lease, step.name, output, (index + 1) / steps.length)
      run.outputs.set(step.name, output)
    } catch (error) {
      if (error instanceof LeaseLostError) throw error
      // As if the process had been killed: the next one decides what comes of it.
      if (deps.isStopping?.()) throw new RunAgainError(error)
      const failure = describeFailure(error)
      const paused = pausedBefore(run.paused.get(step.name), began)
      const isOutOfPatience = paused > patienceWith(error, failure)
      const next = failure.retry === 'later' && !isOutOfPatience ? 'waiting' : 'undoing'
      deps.log.warn({ err: error, jobId: row.id, step: step.name, next }, 'a step of a job failed')
      const told = next === 'waiting' ? failure : describeEnd(error)
      await run.store.stepFailed(run.lease, step.name, told, {
        next,
        paused: { ms: paused, until: deps.clock.now().toISOString() },
      })
      await tellLate(run, failure)
      if (next === 'waiting') throw new RunAgainError(error)
      return false
    }
  }
  return true
}

/** All pauses between the failed tries of a step, in milliseconds. */
function pausedBefore(paused: Paused | undefined, began: number): number {
  if (paused === undefined) return 0
  const last = Math.max(0, began - Date.parse(paused.until))
  return paused.ms + Math.min(last, LONGEST_PAUSE_MS)
}

/** Undoes in reverse order everything that may have happened. A failed undo is retried. */
async function undoSteps(run: Run, log: Log): Promise<void> {
  const { steps } = run.definition
  for (const [index, step] of [...steps.entries()].reverse()) {
    if (!run.touched.has(step.name)) continue
    try {
      await step.undo?.(context(run, index))
    } catch (error) {
      log.error({ err: error, jobId: run.lease.jobId, step: step.name }, 'undoing a step failed')
      // The failure is kept with the step; the earlier steps are undone, so that their resources
      // are freed.
      if (run.isGivenUp) {
        await run.store.stepLeft(run.lease, step.name, describeFailure(error))
        continue
      }
      await run.store.undoFailed(run.lease, step.name, describeFailure(error))
      await tellLate(run, describeFailure(error))
      throw new RunAgainError(error)
    }
    await run.store.stepUndone(run.lease, step.name)
  }
}

async function tellLate(run: Run, failure: JobFailure): Promise<void> {
  if (!run.isLate()) return
  await run.definition.late?.({ jobId: run.lease.jobId, input: run.input }, failure)
}

const PROGRESS_STEP = 0.02

function context(run: Run, index: number): StepContext<unknown> {
  let told = 0
  return {
    jobId: run.lease.jobId,
    input: run.input,
    isGivenUp: run.isGivenUp,
    output: <Output>({ name }: { name: string }) => run.outputs.get(name) as Output | undefined,
    async progress(fraction) {
      const now = Math.min(1, Math.max(0, fraction))
      if (now - told < PROGRESS_STEP) return
      told = now
      await run.store.progress(run.lease, (index + now) / run.definition.steps.length)
    },
  }
}
