import pg from 'pg'
import type { NamingClient } from './naming-client.ts'

/** A connection without an answer for this long is checked. */
const SILENT_MS = 3000
const LOOK_MS = 1000
/** How long the check may take on a working network. */
const ASK_MS = 3000

type Watch = { url: string; onError: (error: Error) => void; answerMs: number }
type Watched = Pick<NamingClient, 'silentMs' | 'pid' | 'end'>

/**
 * A network that silently drops packets reports no error: without this check, each connection of
 * the pool and its request would wait without end. A silent connection is looked up in
 * `pg_stat_activity` over a new connection. It is kept while the database works on its statement,
 * for as long as `answerMs`, and closed if the database does not, or if the new connection gets no
 * answer.
 *
 * The driver has a limit of its own, a timer for each statement. With it, every answer stayed
 * reachable from the one before until the next full collection, and collecting young objects took
 * four times as long.
 */
export function watchSilence(pool: pg.Pool, { url, onError, answerMs }: Watch): () => void {
  const clients = new Set<Watched>()
  pool.on('connect', (client) => clients.add(client as unknown as Watched))
  pool.on('remove', (client) => clients.delete(client as unknown as Watched))
  let isLooking = false

  const isSilent = (client: Watched) => client.silentMs() >= SILENT_MS
  const look = async () => {
    const silent = [...clients].filter(isSilent)
    if (silent.length === 0) return
    const working = await workingAmong(url, silent)
    const isLost = (client: Watched) =>
      client.silentMs() >= answerMs || (!working.has(client.pid()) && isSilent(client))
    const lost = silent.filter(isLost)
    await Promise.all(lost.map((client) => client.end()))
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(onError)
      .finally(() => {
        isLooking = false
      })
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** The connections on whose statement the database is working, according to the database. */
async function workingAmong(url: string, silent: readonly Watched[]): Promise<Set<number>> {
  const pids = silent.map((client) => client.pid())
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
    application_name: 'hushbox-look',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1) and state = 'active'",
      [pids],
    )
    return new Set(rows.map(({ pid }) => pid))
  } catch (error) {
    // A timeout means that the network is dead. A refusal is an answer: the pool will get it as
    // well.
    return isNoAnswer(error) ? new Set() : new Set(pids)
  } finally {
    // On a dead network closing fails as well; the result above is already known.
    client.end().catch(() => undefined)
  }
}

const isNoAnswer = (error: unknown): boolean =>
  error instanceof Error &&
  /^(timeout expired|Query read timeout|Connection terminated due to connection timeout)/.test(
    error.message,
  )
