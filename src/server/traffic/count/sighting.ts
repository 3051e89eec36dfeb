import { MINUTE_MS } from '#shared/rules/time/durations.ts'

/** A VM's counters as the cluster listed them at one moment. */
export type Sighting = {
  at: number
  /** Seconds since its process started; 0 while it is off. */
  uptime: number
  in: number
  out: number
}

export type Bytes = { in: number; out: number }
export type Span = { from: number; to: number }

/** What passed since the last sighting, and the time of which the counters tell nothing. */
export type Passed = Bytes & Span & { gap: Span | undefined }

/** The cluster's list is as old as its last round, which differs from node to node. */
const LAG_MS = 30_000
/** Within this time a sighting may be older than the last one: another process asked another node. */
const DOUBT_MS = MINUTE_MS
/** A shorter time without a sighting is not looked up: RRD knows no more of it than we do. */
const GAP_MS = 2.5 * MINUTE_MS

const startOf = ({ at, uptime }: Sighting): number => at - uptime * 1000

const hasFallen = (last: Bytes, now: Bytes) => now.in < last.in || now.out < last.out

/**
 * True if the same process runs on, and with it its counters. A start begins them anew, and so do a
 * migration, which is a new process, and a card that is plugged in again. The node says nothing: the
 * list names the new one while its figures are still those of the old one.
 */
export const isSameRun = (last: Sighting, now: Sighting): boolean =>
  now.uptime >= last.uptime && !hasFallen(last, now) && startOf(now) <= last.at + LAG_MS

/**
 * What passed between two sightings; undefined if the second one tells nothing new. Of a run that
 * began in between all is counted. What passed in the run before it is a gap.
 */
export function passedSince(last: Sighting, now: Sighting): Passed | undefined {
  if (isOlder(last, now)) return undefined
  // Our clock was set back: what passed meanwhile cannot be told, and counting goes on from here.
  if (now.at < last.at) return { in: 0, out: 0, from: now.at, to: now.at, gap: undefined }
  if (isSameRun(last, now)) {
    const bytes = { in: now.in - last.in, out: now.out - last.out }
    return { ...bytes, from: last.at, to: now.at, gap: undefined }
  }
  const from = Math.min(now.at, Math.max(last.at, startOf(now)))
  const gap = from - last.at > GAP_MS ? { from: last.at, to: from } : undefined
  return { in: now.in, out: now.out, from, to: now.at, gap }
}

/**
 * A report from before the last one, which another process had from a node that was ahead. Taken for
 * a restart, it would count everything once more.
 */
function isOlder(last: Sighting, now: Sighting): boolean {
  const elapsed = now.at - last.at
  if (Math.abs(elapsed) >= DOUBT_MS) return false
  if (elapsed <= 0 || startOf(now) < startOf(last) - LAG_MS) return true
  if (startOf(now) > startOf(last) + LAG_MS) return false
  return now.uptime < last.uptime || (now.uptime === last.uptime && hasFallen(last, now))
}

/** The part of the bytes that passed within these bounds, if they passed evenly. */
export function partOf(bytes: Bytes & Span, { from, to }: Span): Bytes {
  const length = bytes.to - bytes.from
  if (length <= 0) {
    const isWithin = from <= bytes.to && bytes.to < to
    return isWithin ? { in: bytes.in, out: bytes.out } : { in: 0, out: 0 }
  }
  const share = Math.max(0, Math.min(to, bytes.to) - Math.max(from, bytes.from)) / length
  return { in: Math.round(bytes.in * share), out: Math.round(bytes.out * share) }
}
