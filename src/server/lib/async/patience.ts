import { AppError } from '#shared/errors.ts'
import type { Log } from '../log.ts'

/** No page waits longer than this for a cluster; with the rest of the work it is under two seconds. */
const ANSWER_WITHIN_MS = 1500

export type Outcome<T> = { isDone: true; value: T } | { isDone: false }

/** What the work gives in time. Later it goes on, and is the caller's to follow. */
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

/** An answer of the cluster, or soon the plain word that there is none yet. */
export async function answerOf<T>(log: Log, work: Promise<T>, late = LATE): Promise<T> {
  const outcome = await inTime(work)
  if (outcome.isDone) return outcome.value
  // Nobody waits for it any more: what becomes of it only the log can be told.
  work.catch((error: unknown) => log.warn({ err: error }, 'a cluster failed after it was given up'))
  throw new AppError('CLUSTER_UNAVAILABLE', late, { retryAfter: 10 })
}

/** Waits for the end of work whose failure somebody else is told of. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work])
}
