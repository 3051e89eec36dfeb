import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'

const RETRY_MS = 500
/** More ids than this are read as a range instead of one by one. */
const MOST_IDS = 1000
const ID = /^\d{1,15}$/

type Reading = {
  log: Log
  readThese(ids: number[]): Promise<void>
  /** Reads everything that may have been missed. */
  catchUp(): Promise<void>
  retryMs?: number
}

/**
 * Collects ids that arrive together into one read; reads one after another, to keep their order. A
 * failed read is repeated: a lost connection must not lose events.
 */
export function createReader({ log, readThese, catchUp, retryMs = RETRY_MS }: Reading) {
  let waiting: number[] = []
  let isBehind = false
  let isReading = false
  let isClosed = false

  const readOn = async () => {
    isReading = true
    while (!isClosed && (isBehind || waiting.length > 0)) {
      const [ids, wasBehind] = [waiting, isBehind]
      waiting = []
      isBehind = false
      try {
        if (wasBehind) await catchUp()
        if (ids.length > 0) await readThese(ids)
      } catch (error) {
        if (isClosed) break
        log.warn({ err: error }, 'events: reading failed, it is tried again')
        isBehind = true
        // An id may be older than the range that catching up reads.
        waiting = [...ids, ...waiting]
        await pause(retryMs, undefined, { ref: false })
      }
      if (waiting.length > MOST_IDS) {
        waiting = []
        isBehind = true
      }
    }
    isReading = false
  }
  const wake = () => {
    if (!isReading) readOn().catch((error: unknown) => log.error({ err: error }, 'events: reading'))
  }

  return {
    /** The payload of a notification; every database user can send one. */
    read(payload: string): void {
      if (!ID.test(payload)) {
        log.warn('events: a notification that is no id was ignored')
        return
      }
      waiting.push(Number(payload))
      wake()
    },
    catchUp(): void {
      isBehind = true
      wake()
    },
    close(): void {
      isClosed = true
    },
  }
}
