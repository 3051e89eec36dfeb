import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Db as QueueDb } from 'pg-boss'
import type { Database } from './database.ts'
import { NamingClient } from './naming-client.ts'
import { schema } from './schema.ts'
import { guardTransactions } from './transaction-guard.ts'

/** Two for each core and one that waits for the disk: more only get in each other's way. */
const POOL_SIZE = 2 * availableParallelism() + 1
const RELISTEN_MS = 1000
const CALM_LOOK_MS = 20
const CALM_MOST_MS = 1000

export type PostgresOptions = {
  url: string
  /** Told of a lost idle connection; the pool replaces it by itself. */
  onError: (error: Error) => void
  poolSize?: number
}

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, onError, poolSize } = options
  const pool = new pg.Pool({
    Client: NamingClient,
    connectionString: url,
    max: poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'hushbox',
  })
  pool.on('error', onError)
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    kind: 'postgres',
    db: guardTransactions(drizzle({ client: pool, schema, casing: 'snake_case' })),
    queue: queueOn(pool, options),
    listen: (channel, onMessage, onGap) => listen(options, channel, onMessage, onGap),
    calm: () => calm(pool),
    maintain: async () => {},
    close: () => pool.end(),
  }
}

async function calm(pool: pg.Pool): Promise<void> {
  const giveUp = performance.now() + CALM_MOST_MS
  while (pool.waitingCount > 0 && performance.now() < giveUp) await pause(CALM_LOOK_MS)
}

const queueOn = (pool: pg.Pool, options: PostgresOptions): QueueDb => ({
  executeSql: (text, values) => pool.query(text, values),
  listen: async (channel, onNotification, onReconnect) => ({
    close: await listen(options, channel, onNotification, onReconnect),
  }),
})

/** Holds one connection for LISTEN and opens it again when it is lost. */
async function listen(
  { url, onError }: PostgresOptions,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: () => void,
): Promise<() => Promise<void>> {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: 'hushbox-listen',
    })
    let isLost = false
    const lost = () => {
      if (isLost || isClosed) return
      isLost = true
      next.end().catch(onError)
      timer = setTimeout(() => {
        connect().catch(lost)
      }, RELISTEN_MS)
    }
    next.on('error', lost)
    next.on('end', lost)
    next.on('notification', (message) => onMessage(message.payload ?? ''))
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      if (client !== undefined) return lost()
      isClosed = true
      clearTimeout(timer)
      throw error
    }
    client = next
    onGap()
  }

  await connect()
  return async () => {
    isClosed = true
    clearTimeout(timer)
    await client?.end()
  }
}
