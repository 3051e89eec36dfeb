import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '#shared/errors.ts'

/** No page waits longer than this for a cluster; with the rest of the work it is under two seconds. */
export const PATIENCE_MS = 1500

export type Outcome<T> = { isDone: true; value: T } | { isDone: false }

/** What the work gives in time. Later it goes on, and is the caller's to follow. */
export async function inTime<T>(work: Promise<T>, ms = PATIENCE_MS): Promise<Outcome<T>> {
  const timer = new AbortController()
  const late = delay(ms, { isDone: false } as const, { signal: timer.signal }).catch(
    () => ({ isDone: false }) as const,
  )
  try {
    return await Promise.race([work.then((value) => ({ isDone: true, value }) as const), late])
  } finally {
    timer.abort()
  }
}

const LATE = 'The cluster did not answer in time.'

/** An answer of the cluster, or soon the plain word that there is none yet. */
export async function answerOf<T>(work: Promise<T>, late = LATE): Promise<T> {
  const outcome = await inTime(work)
  if (outcome.isDone) return outcome.value
  // Nobody waits for it any more; its failure is no news.
  work.catch(() => undefined)
  throw new AppError('CLUSTER_UNAVAILABLE', late, { retryAfter: 10 })
}
