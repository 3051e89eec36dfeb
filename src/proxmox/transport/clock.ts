import { setTimeout as delay } from 'node:timers/promises'

/** Time as the client sees it; tests inject their own. */
export type Clock = {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {})
  },
}

/** One time budget for a whole call: queueing, signing in, failing over and answering. */
export type Deadline = {
  readonly signal: AbortSignal
  remainingMs(): number
  stop(): void
}

export type StopReason = 'aborted' | 'closed' | 'timeout'

export function startDeadline(
  ms: number,
  outer: { aborted?: AbortSignal | undefined; closed?: AbortSignal | undefined } = {},
): Deadline {
  const ends = performance.now() + ms
  const controller = new AbortController()
  // A nested deadline passes on why the outer one ended.
  const onAborted = () => controller.abort(asStopReason(outer.aborted?.reason) ?? 'aborted')
  const onClosed = () => controller.abort('closed')
  const timer = setTimeout(() => controller.abort('timeout'), ms)
  outer.aborted?.addEventListener('abort', onAborted)
  outer.closed?.addEventListener('abort', onClosed)
  if (outer.aborted?.aborted) onAborted()
  if (outer.closed?.aborted) onClosed()
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(0, ends - performance.now()),
    stop: () => {
      clearTimeout(timer)
      outer.aborted?.removeEventListener('abort', onAborted)
      outer.closed?.removeEventListener('abort', onClosed)
    },
  }
}

/** Which of the three ended a deadline's signal. */
export function stopReason(signal: AbortSignal): StopReason {
  return asStopReason(signal.reason) ?? 'timeout'
}

const asStopReason = (reason: unknown): StopReason | undefined =>
  reason === 'aborted' || reason === 'closed' || reason === 'timeout' ? reason : undefined

/** Waits for a promise that outlives this caller, but no longer than the signal allows. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  failure: () => Error,
): Promise<T> {
  if (signal.aborted) throw failure()
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(failure())
    signal.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
