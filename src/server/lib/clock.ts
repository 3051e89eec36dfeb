/** Time comes from outside, so that tests can hold it. */
export type Clock = {
  now(): Date
  /** Milliseconds that passed, whatever was done to the clock; where absent, `now` never jumps. */
  elapsed?(): number
  /** How far the database's clock jumped away from this one; 0 where it did not. */
  jumpMs?(): number
}

export const systemClock: Clock = { now: () => new Date() }
