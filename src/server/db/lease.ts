import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Db } from './database.ts'
import { leases } from './schema/work.ts'

/** The lease of a dead holder expires after this; a living one renews it three times as often. */
const LEASE_SECONDS = 30
const RENEW_MS = 10_000

type Lease = {
  key: string
  holder: string
  /** What is said while another one has it. */
  busy: string
}

/**
 * Runs the work while no other holder, in any process, has a lease with the same key. Otherwise
 * fails with LOCKED, and a job waits for its next attempt. The same holder gets the lease again at
 * once, so that a job which lost its worker continues.
 */
export async function withLease<T>(
  { db, log }: { db: Db; log: Log },
  lease: Lease,
  work: () => Promise<T>,
): Promise<T> {
  if (!(await take(db, lease))) {
    throw new AppError('LOCKED', lease.busy, { retryAfter: 2 })
  }
  const renewal = setInterval(() => {
    take(db, lease).catch((error: unknown) => log.warn({ err: error }, 'a lease was not renewed'))
  }, RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await db.delete(leases).where(and(eq(leases.key, lease.key), eq(leases.holder, lease.holder)))
  }
}

async function take(db: Db, { key, holder }: Pick<Lease, 'holder' | 'key'>): Promise<boolean> {
  const until = sql`now() + make_interval(secs => ${LEASE_SECONDS})`
  const rows = await db
    .insert(leases)
    .values({ key, holder, until })
    .onConflictDoUpdate({
      target: leases.key,
      set: { holder, until },
      setWhere: sql`${leases.holder} = ${holder} or ${leases.until} < now()`,
    })
    .returning({ key: leases.key })
  return rows.length > 0
}
