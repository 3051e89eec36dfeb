/** Time is injected, so that tests can control it. */
export type Clock = {
  now(): Date
  /** Elapsed milliseconds, unaffected by changes of the clock; if absent, `now` never jumps. */
  elapsed?(): number
  /** How far the database's clock jumped away from this one; 0 if it did not. */
  jumpMs?(): number
}

export const systemClock: Clock = { now: () => new Date() }
