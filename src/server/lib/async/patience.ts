import { AppError } from '#shared/errors.ts'
import type { Log } from '../log.ts'

/**
 * The longest wait of a page for a cluster; with the rest of the work it stays under two seconds.
 */
const ANSWER_WITHIN_MS = 1500

export type Outcome<T> = { isDone: true; value: T } | { isDone: false }

/**
 * The result of the work, if it is done in time. Otherwise the work continues, and the caller must
 * follow it.
 */
export async function inTime<T>(work: Promise<T>, ms = ANSWER_WITHIN_MS): Promise<Outcome<T>> {
  const { promise: late, resolve } = Promise.withResolvers<Outcome<T>>()
  const timer = setTimeout(() => resolve({ isDone: false }), ms)
  try {
    return await Promise.race([work.then((value) => ({ isDone: true, value }) as const), late])
  } finally {
    clearTimeout(timer)
  }
}

export const UNCONFIRMED = 'The cluster has not confirmed the change yet. Look again in a moment.'
const LATE = 'The cluster did not answer in time.'

/** Resolves with the cluster's answer, or throws CLUSTER_UNAVAILABLE after 1.5 s. */
export async function answerOf<T>(log: Log, work: Promise<T>, late = LATE): Promise<T> {
  const outcome = await inTime(work)
  if (outcome.isDone) return outcome.value
  // The caller is gone: a later failure can only be logged.
  work.catch((error: unknown) => log.warn({ err: error }, 'a cluster failed after it was given up'))
  throw new AppError('CLUSTER_UNAVAILABLE', late, { retryAfter: 10 })
}

/** Waits for the end of work whose failure is reported elsewhere. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work])
}
