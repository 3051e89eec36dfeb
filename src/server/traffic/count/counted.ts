import {
  quotaBytes,
  type TrafficLevel,
  type TrafficTerms,
  trafficLevel,
  usedBytes,
} from '#shared/rules/network/traffic.ts'
import type { TrafficPeriod } from '#shared/rules/network/traffic-period.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { serverTraffic } from '../../db/schema/traffic.ts'
import {
  type Bytes,
  isSameRun,
  type Passed,
  partOf,
  passedSince,
  type Sighting,
  type Span,
} from './sighting.ts'

export type TrafficRow = typeof serverTraffic.$inferSelect

/** A server as it is counted: what is stored of it, and what it has been sold with. */
export type Server = {
  instanceId: number
  ownerId: number | null
  stored: TrafficRow | null
  terms: TrafficTerms
  period: TrafficPeriod
}

/** What is to be added to a server's traffic. */
export type Counted = Bytes & {
  instanceId: number
  ownerId: number | null
  seen: Sighting
  period: TrafficPeriod
  /** The sums of the period before are dropped. */
  isNewPeriod: boolean
  days: ({ day: string } & Bytes)[]
  gaps: Span[]
  noticed: TrafficLevel
  /** What its client is to be told of, if anything. */
  notice: TrafficLevel
}

/** While it runs on, a server's row is written no more often than this. */
const WRITE_MS = 50_000

/** Undefined if there is nothing new to write. */
export function countServer(server: Server, sightings: readonly Sighting[]): Counted | undefined {
  const { stored, terms } = server
  const first = stored ? seenOf(stored) : sightings[0]
  const newest = sightings.at(-1)
  if (!first || !newest) return undefined
  if (stored && isSameRun(first, newest) && newest.at - first.at < WRITE_MS) {
    // Also one of an earlier moment, which has nothing new.
    return undefined
  }
  // The end of a run that another process has counted already.
  const isLater = ({ at }: Sighting) => at > first.at
  const { seen, passed } = walk(first, [...sightings.slice(0, -1).filter(isLater), newest])
  if (stored && seen === first) return undefined
  const { period, isNewPeriod } = periodOf(server)
  const within = { from: period.from.getTime(), to: period.to.getTime() }
  const added = sum(passed.map((part) => partOf(part, within)))
  const before = stored && !isNewPeriod ? stored : { inBytes: 0, outBytes: 0, noticed: 0 }
  const total = { inBytes: before.inBytes + added.in, outBytes: before.outBytes + added.out }
  const level = trafficLevel(usedBytes(total, terms.trafficCounts), quotaBytes(terms))
  return {
    instanceId: server.instanceId,
    ownerId: server.ownerId,
    seen,
    period,
    isNewPeriod,
    ...added,
    days: passed.flatMap(daysOf),
    gaps: passed.flatMap(({ gap }) => gap ?? []),
    // A raised quota may be reached again, and is told again.
    noticed: level,
    notice: level > before.noticed ? level : 0,
  }
}

const seenOf = ({ seenAt, seenUptime, seenIn, seenOut }: TrafficRow): Sighting => ({
  at: seenAt.getTime(),
  uptime: seenUptime,
  in: seenIn,
  out: seenOut,
})

/** From one sighting to the next; those that are older than the last one are passed over. */
function walk(first: Sighting, sightings: readonly Sighting[]) {
  let seen = first
  const passed: Passed[] = []
  for (const next of sightings) {
    const part = passedSince(seen, next)
    if (!part) continue
    passed.push(part)
    seen = next
  }
  return { seen, passed }
}

/** A term that changed begins a new period; one that begins earlier than the last keeps its sums. */
function periodOf({ stored, period }: Server) {
  const isNewPeriod = stored === null || period.from.getTime() > stored.periodFrom.getTime()
  return { period, isNewPeriod }
}

const sum = (parts: readonly Bytes[]): Bytes => ({
  in: parts.reduce((total, part) => total + part.in, 0),
  out: parts.reduce((total, part) => total + part.out, 0),
})

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Its parts by days of UTC. */
export function daysOf(passed: Bytes & Span): ({ day: string } & Bytes)[] {
  const days = []
  for (let from = Math.floor(passed.from / DAY_MS) * DAY_MS; from <= passed.to; from += DAY_MS) {
    const part = partOf(passed, { from, to: from + DAY_MS })
    if (part.in + part.out > 0) days.push({ day: dayOf(from), ...part })
  }
  return days
}
