import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../db/database.ts'
import { appliedMigrations, knownMigrations } from '../../db/migrate.ts'
import type { Log } from '../../lib/log.ts'

const BEAT_SECONDS = 60

/** `/healthz`: the process answers. `/readyz`: it can do its work, or names what is missing. */
export function serveHealth(
  app: FastifyInstance,
  db: Db,
  log: Log,
  { needsJobs }: { needsJobs: boolean },
): void {
  const known = knownMigrations()

  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const checks = { database: false, migrations: false, jobs: false }
    try {
      const applied = new Set(await appliedMigrations(db))
      checks.database = true
      checks.migrations = known.every((tag) => applied.has(tag))
      checks.jobs = await hasHeartbeat(db)
    } catch (error) {
      log.error({ err: error }, 'not ready')
    }
    // Pages can be served without any worker: orders wait, and no client is turned away.
    const isReady = checks.database && checks.migrations && (checks.jobs || !needsJobs)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable', checks })
  })
}

async function hasHeartbeat(db: Db): Promise<boolean> {
  const { rows } = (await db.execute(
    sql`select 1 from heartbeats where at > now() - make_interval(secs => ${BEAT_SECONDS}) limit 1`,
  )) as unknown as { rows: unknown[] }
  return rows.length > 0
}
