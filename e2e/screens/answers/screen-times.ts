export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

/** As long as a name can be, without a place to break at. */
export const LONG_NAME =
  'Harbour-of-a-name-without-any-space-to-break-at, 2 CPU, 4 GB RAM, 80 GB SSD'
