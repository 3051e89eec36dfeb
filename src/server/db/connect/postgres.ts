import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Db as QueueDb } from 'pg-boss'
import type { Database, Db } from '../database.ts'
import { isConnectionLost } from '../lost-connection.ts'
import { guardTransactions } from '../transaction-guard.ts'
import { listen } from './listen.ts'
import { NamingClient, type NamingConfig, statementNames } from './naming-client.ts'
import { watchSilence } from './silent-lines.ts'

/** Two for each core, and one that waits for the disk: more would only compete. */
const POOL_SIZE = 2 * availableParallelism() + 1
const CALM_LOOK_MS = 20
const CALM_MOST_MS = 1000
const STATEMENT_MS = 30_000
const CONNECT_MS = 5000
/**
 * A new connection plans each statement five times before it keeps the plan. Networks forget a
 * silent connection after some minutes, so it is not kept longer than one.
 */
const IDLE_MS = 60_000

/** No answer comes later than this to a statement that the database ends after `STATEMENT_MS`. */
const ANSWER_MS = STATEMENT_MS + 5000

export type PostgresOptions = {
  url: string
  /** Called for every lost connection; the pool replaces it. */
  onError: (error: Error) => void
  poolSize?: number
  answerMs?: number
}

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const pool = createPool(options)
  const stopWatching = watchSilence(pool, { answerMs: ANSWER_MS, ...options })
  try {
    await pool.query('select 1')
  } catch (error) {
    stopWatching()
    await pool.end()
    throw error
  }
  const on = (client: pg.Pool | pg.PoolClient): Db => drizzle({ client, casing: 'snake_case' })
  return {
    kind: 'postgres',
    db: guardTransactions(on(pool), transactionsOn(pool, on)),
    queue: queueOn(pool, options),
    listen: (channel, onMessage, onGap) => listen(options, channel, onMessage, onGap),
    waitForIdlePool: () => waitForIdlePool(pool),
    maintain: async () => {},
    close: () => {
      stopWatching()
      return pool.end()
    },
  }
}

function createPool({ url, onError, poolSize }: PostgresOptions): pg.Pool {
  const config: pg.PoolConfig & NamingConfig = {
    // A pool passes all of these to every client it makes; its types know only the driver's own.
    Client: NamingClient as unknown as typeof pg.Client,
    names: statementNames(),
    connectionString: url,
    max: poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    application_name: 'hushbox',
    // The pool waits for it and gives up a client it rejects; its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: refuseStandby,
  }
  const pool = new pg.Pool(config)
  // The pool listens to idle clients only. Losing a client between two statements of a transaction
  // would end the process; with this listener its next statement fails instead.
  pool.on('connect', (client) => client.on('error', onError))
  // Idle clients report through the listener above.
  pool.on('error', () => undefined)
  return pool
}

/**
 * After a fail-over the old address may lead to a server that accepts no writes. Silence is
 * watched for once the pool has the connection: this question comes before, with a limit of its own.
 */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const question: pg.QueryConfig & { query_timeout: number } = {
    text: 'select pg_is_in_recovery() as standby',
    query_timeout: CONNECT_MS,
  }
  const { rows } = await client.query<{ standby: boolean }>(question)
  if (!rows[0]?.standby) return
  throw Object.assign(new Error('the database server is a standby'), { code: '25006' })
}

/**
 * Drizzle's own transaction leaks the client if `begin` fails, and returns one to the pool whose
 * answer never came. Here the client is always released, and removed from the pool if it cannot be
 * trusted.
 */
function transactionsOn(pool: pg.Pool, on: (client: pg.PoolClient) => Db): Db['transaction'] {
  const known = new WeakMap<pg.PoolClient, Db>()
  return async (work, config) => {
    const client = await pool.connect()
    const db = known.get(client) ?? on(client)
    known.set(client, db)
    let failure: Error | undefined
    try {
      return await db.transaction(work, config)
    } catch (error) {
      if (isConnectionLost(error)) failure = error as Error
      throw error
    } finally {
      client.release(failure)
    }
  }
}

async function waitForIdlePool(pool: pg.Pool): Promise<void> {
  const giveUp = performance.now() + CALM_MOST_MS
  while (pool.waitingCount > 0 && performance.now() < giveUp) await pause(CALM_LOOK_MS)
}

const queueOn = (pool: pg.Pool, options: PostgresOptions): QueueDb => ({
  executeSql: (text, values) => pool.query(text, values),
  listen: async (channel, onNotification, onReconnect) => ({
    close: await listen(options, channel, onNotification, onReconnect),
  }),
})
