import { and, gte, lt, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { DAY_MS } from '#shared/rules/time/durations.ts'

/** The first and the last day, such as 2026-11-15, in UTC; without one it is open on that side. */
export type Period = { from?: string | undefined; to?: string | undefined }

const startOf = (day: string): Date => new Date(`${day}T00:00:00Z`)
const dayAfter = (day: string): Date => new Date(startOf(day).getTime() + DAY_MS)

/** The condition that a moment is on one of these days. */
export const inPeriod = (moment: PgColumn, { from, to }: Period): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(moment, startOf(from)),
    to === undefined ? undefined : lt(moment, dayAfter(to)),
  )
