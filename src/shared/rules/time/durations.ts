export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** 24 hours of UTC: neither a clock change nor a leap day makes one longer. */
export const DAY_MS = 24 * HOUR_MS

/**
 * Days rounded up, as people count them: 6 d 23 h are 7 days. A minute of slack keeps a term of 5
 * days from reading "6 days" where two clocks differ slightly.
 */
export const daysBegun = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(1, Math.ceil((ms - MINUTE_MS) / DAY_MS))
