import { lt } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { trafficDays } from '../db/schema/traffic.ts'
import type { JobDeps } from '../runtime/deps.ts'
import { dayOf } from './count/counted.ts'

/** Three months, so that a client can compare a period with the ones before. */
const KEPT_DAYS = 92

/** Deletes days that no graph shows any more. */
export const pruneTraffic =
  ({ db, clock }: Pick<JobDeps, 'db' | 'clock'>) =>
  async (): Promise<void> => {
    const oldest = dayOf(clock.now().getTime() - KEPT_DAYS * DAY_MS)
    await db.delete(trafficDays).where(lt(trafficDays.day, oldest))
  }
