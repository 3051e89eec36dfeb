export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** 24 hours of UTC: no clock change and no leap day makes one longer. */
export const DAY_MS = 24 * HOUR_MS
