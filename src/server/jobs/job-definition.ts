import type { z } from 'zod'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { JobFailure } from '../db/schema/work.ts'
import { publicMessageOf } from './public-failure.ts'

/** What a step is given. */
export type StepContext<Input> = {
  jobId: string
  input: Input
  /** What earlier steps returned; a step's own earlier result when it is undone. */
  output<T>(step: string): T | undefined
  /** How far this step is, 0 to 1. */
  progress(fraction: number): Promise<void>
  /** Undoing: an operator takes care of what cannot be undone. */
  isGivenUp: boolean
}

/**
 * One step of a job. Both functions must be harmless when run twice: after a crash nobody knows
 * whether the first time happened, so a step looks before it acts.
 */
export type Step<Input> = {
  name: string
  run(context: StepContext<Input>): Promise<unknown>
  undo?(context: StepContext<Input>): Promise<void>
}

export type JobDefinition<Schema extends z.ZodType = z.ZodType> = {
  kind: string
  input: Schema
  /** What people read in the list of running work. */
  title(input: z.output<Schema>): string
  steps: Step<z.output<Schema>>[]
  /** Called when it has been trying for minutes, forwards or backwards, with what is in the way. */
  late?(context: { jobId: string; input: z.output<Schema> }, failure: JobFailure): Promise<void>
}

export const defineJob = <Schema extends z.ZodType>(
  definition: JobDefinition<Schema>,
): JobDefinition<Schema> => definition

/** Failures that pass by themselves. Everything else will not get better by trying again. */
const PASSING = new Set<ErrorCode>([
  'CLUSTER_UNAVAILABLE',
  // An operator confirms the new one, and it goes on.
  'CERTIFICATE_UNTRUSTED',
  'PAYMENT_UNAVAILABLE',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'LOCKED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
])

/** What failed, in a sentence for people, and whether trying again makes sense. */
export function describeFailure(error: unknown): JobFailure {
  if (error instanceof AppError) {
    const retry = PASSING.has(error.code) ? 'later' : 'never'
    const publicMessage = publicMessageOf(error, retry)
    return { code: error.code, message: error.message, retry, publicMessage }
  }
  const message = 'Something went wrong on our side.'
  return { code: 'INTERNAL', message, retry: 'later', publicMessage: message }
}
