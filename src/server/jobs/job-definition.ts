import type { z } from 'zod'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { JobFailure } from '../db/schema/work.ts'

/** What a step is given. */
export type StepContext<Input> = {
  jobId: string
  input: Input
  /** What earlier steps returned; a step's own earlier result when it is undone. */
  output<T>(step: string): T | undefined
  /** How far this step is, 0 to 1. */
  progress(fraction: number): Promise<void>
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
}

export const defineJob = <Schema extends z.ZodType>(
  definition: JobDefinition<Schema>,
): JobDefinition<Schema> => definition

/** Failures that pass by themselves. Everything else will not get better by trying again. */
const PASSING = new Set<ErrorCode>([
  'CLUSTER_UNAVAILABLE',
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
    return {
      code: error.code,
      message: error.message,
      retry: PASSING.has(error.code) ? 'later' : 'never',
    }
  }
  return { code: 'INTERNAL', message: 'Something went wrong on our side.', retry: 'later' }
}
