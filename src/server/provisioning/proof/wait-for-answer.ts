import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '#shared/errors.ts'
import type { Log } from '../../lib/log.ts'

const MINUTE_MS = 60_000
/** Short pauses at first, so that a guest that starts fast is noticed soon. */
const QUICK_LOOKS = 40
const QUICK_MS = 250
const SLOW_MS = 1000

/** Monotonic time: setting the clock must not stretch the minute. */
const ELAPSED = { now: () => performance.now(), sleep: (ms: number) => delay(ms) }

type Waiting = {
  progress: (part: number) => Promise<void>
  log: Pick<Log, 'debug'>
  patienceMs?: number
  time?: { now(): number; sleep(ms: number): Promise<unknown> }
}

/**
 * Returns what the guest answers, after at most one minute unless told otherwise: each request to a
 * silent agent takes seconds, and the buyer waits. Empty if it does not answer.
 */
export async function waitForAnswer<Answer>(
  ask: () => Promise<Answer[]>,
  { progress, log, patienceMs = MINUTE_MS, time = ELAPSED }: Waiting,
): Promise<Answer[]> {
  const began = time.now()
  for (let look = 0; ; look += 1) {
    try {
      const answers = await ask()
      if (answers.length > 0) return answers
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'VM_MISSING') throw error
      if (error.code === 'INVALID_STATE') return []
      log.debug({ err: error }, 'the guest does not answer yet')
    }
    const gone = time.now() - began
    if (gone >= patienceMs) return []
    await progress(gone / patienceMs)
    await time.sleep(look < QUICK_LOOKS ? QUICK_MS : SLOW_MS)
  }
}
