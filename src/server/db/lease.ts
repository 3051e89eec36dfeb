import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Db } from './database.ts'
import { leases } from './schema/work.ts'

/** A holder that died is forgotten after this; a living one renews three times as often. */
const LEASE_SECONDS = 30
const RENEW_MS = 10_000

type Lease = { key: string; holder: string }

/**
 * Runs the work while nobody else, in any process, runs work with the same key. Somebody else at
 * it is LOCKED: a job then waits for its next try. The same holder gets it again at once, so that a
 * job which lost its worker goes on.
 */
export async function withLease<T>(
  { db, log }: { db: Db; log: Log },
  lease: Lease,
  work: () => Promise<T>,
): Promise<T> {
  if (!(await take(db, lease))) {
    throw new AppError('LOCKED', 'Another server is being copied to the same storage.', {
      retryAfter: 2,
    })
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

async function take(db: Db, { key, holder }: Lease): Promise<boolean> {
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
