export const MOST_MBIT = 100_000
/** The rate of a server that has used its traffic up, where its package names no other. */
export const SLOW_MBIT = 10
/** A billion GB would not fit into a number of bytes any more. */
export const MOST_TRAFFIC_GB = 5_000_000

/** As shops count it, and as packages name it. */
const GB = 1e9

/** What counts against the quota: what leaves the server, or both directions. */
export const TRAFFIC_COUNTS = ['both', 'out'] as const
export type TrafficCounts = (typeof TRAFFIC_COUNTS)[number]

/** What a package grants. Null is unlimited; a quota of 0 is none, so it is used up from the start. */
export type TrafficTerms = {
  rateMbit: number | null
  trafficGb: number | null
  trafficCounts: TrafficCounts
  slowMbit: number
}

/** Of a server without a package. */
export const UNLIMITED: TrafficTerms = {
  rateMbit: null,
  trafficGb: null,
  trafficCounts: 'both',
  slowMbit: SLOW_MBIT,
}

export const quotaBytes = ({ trafficGb }: Pick<TrafficTerms, 'trafficGb'>): number | null =>
  trafficGb === null ? null : trafficGb * GB

type Bytes = { inBytes: number; outBytes: number }

export const usedBytes = ({ inBytes, outBytes }: Bytes, counts: TrafficCounts): number =>
  counts === 'out' ? outBytes : inBytes + outBytes

/** The percentages of the quota that its client is told of; 0 before. */
export type TrafficLevel = 0 | 80 | 100

export function trafficLevel(used: number, quota: number | null): TrafficLevel {
  if (quota === null) return 0
  if (used >= quota) return 100
  return used >= quota * 0.8 ? 80 : 0
}

/** What a server's card is limited to: never less than 1, because it is slowed and never cut. */
export function rateOf(terms: TrafficTerms, level: TrafficLevel): number | null {
  if (level < 100) return terms.rateMbit
  return terms.rateMbit === null ? terms.slowMbit : Math.min(terms.rateMbit, terms.slowMbit)
}

/** 100 → "100 Mbit/s", 2500 → "2.5 Gbit/s" */
export const mbitText = (mbit: number): string =>
  mbit >= 1000 ? `${mbit / 1000} Gbit/s` : `${mbit} Mbit/s`

/** 250 → "250 GB", 2000 → "2 TB" */
export const gbText = (gb: number): string => (gb >= 1000 ? `${gb / 1000} TB` : `${gb} GB`)
