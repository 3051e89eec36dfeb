import type { z } from 'zod'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { JobFailure } from '../db/schema/work.ts'
import { publicMessageOf } from './public-failure.ts'

export type StepContext<Input> = {
  jobId: string
  input: Input
  /** What an earlier step returned; on undo also what the step itself returned. */
  output<Output>(step: StepOf<Output>): Output | undefined
  /** Reports the progress of this step, 0 to 1. */
  progress(fraction: number): Promise<void>
  /**
   * True while undoing a job that an operator has given up: the operator handles what cannot be
   * undone.
   */
  isGivenUp: boolean
}

/** A step of any job, for the sake of what it returns. */
type StepOf<Output> = { name: string; run(context: never): Promise<Output> }

/**
 * One step of a job. Both functions must be idempotent: after a crash it is unknown whether the
 * first run happened, so a step looks before it acts.
 */
export type Step<Input, Output = unknown> = {
  name: string
  run(context: StepContext<Input>): Promise<Output>
  undo?(context: StepContext<Input>): Promise<void>
}

export type JobDefinition<Schema extends z.ZodType = z.ZodType> = {
  kind: string
  input: Schema
  /** Shown in the list of running jobs. */
  title(input: z.output<Schema>): string
  /** What it is about, by which other code finds it. */
  subject?(input: z.output<Schema>): string
  steps: Step<z.output<Schema>>[]
  /** May last for hours: other jobs do not wait behind it. */
  isLong?: boolean
  /** Called with the failure when the job has been retrying for minutes, forwards or backwards. */
  late?(context: { jobId: string; input: z.output<Schema> }, failure: JobFailure): Promise<void>
}

/** The subject of every job that works on a token. */
export const tokenSubject = (tokenId: number): string => `token:${tokenId}`

export const defineJob = <Schema extends z.ZodType>(
  definition: JobDefinition<Schema>,
): JobDefinition<Schema> => definition

/** The work of others comes first. It is no failure, and may last for hours. */
export class NotYetError extends AppError {
  /** Whether the step itself knows when the waiting is over; then no other limit ends it. */
  readonly hasOwnEnd: boolean

  constructor(message: string, { hasOwnEnd = false } = {}) {
    super('LOCKED', message, { retryAfter: 10, publicMessage: message })
    this.name = 'NotYetError'
    this.hasOwnEnd = hasOwnEnd
  }
}

/** Temporary failures. Any other does not improve by retrying. */
const PASSING = new Set<ErrorCode>([
  'CLUSTER_UNAVAILABLE',
  // Continues once an operator confirms the new certificate.
  'CERTIFICATE_UNTRUSTED',
  'PAYMENT_UNAVAILABLE',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'LOCKED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
])

const TURN_OVER = 'Its turn did not come in half a day. Please try again.'

/** The failure in a sentence for people, and whether a retry makes sense. */
export function describeFailure(error: unknown): JobFailure {
  if (error instanceof AppError) {
    const retry = PASSING.has(error.code) ? 'later' : 'never'
    const publicMessage = publicMessageOf(error, retry)
    return { code: error.code, message: error.message, retry, publicMessage }
  }
  const message = 'Something went wrong on our side.'
  return { code: 'INTERNAL', message, retry: 'later', publicMessage: message }
}

/** The failure of a job that gives up: the client must not read that it is still being tried. */
export function describeEnd(error: unknown): JobFailure {
  const failure = describeFailure(error)
  if (error instanceof NotYetError) return { ...failure, publicMessage: TURN_OVER }
  const isOurs = error instanceof AppError
  return isOurs ? { ...failure, publicMessage: publicMessageOf(error, 'never') } : failure
}
