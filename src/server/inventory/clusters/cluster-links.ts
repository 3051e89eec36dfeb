import { asc } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import type { EventBus } from '../../events/event-bus.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import { inTurn } from '../../lib/async/in-turn.ts'
import type { Log } from '../../lib/log.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { type ClusterRow, connectionOf } from './cluster-store.ts'

export type ClusterLinks = {
  /**
   * Connects the clusters of the table without waiting for any of them, and follows later changes
   * of the table.
   */
  start(): Promise<void>
  /** Makes the connections match the table now. */
  refresh(): Promise<void>
  /** Why this cluster could not even be tried. */
  problem(clusterId: number): string | undefined
  stop(): Promise<void>
}

type LinksDeps = { db: Db; keyring: Keyring; events: EventBus; hypervisors: Hypervisors; log: Log }

/**
 * Keeps this process connected to exactly the clusters of the table. Every process does this; a
 * change made in another process arrives as the event that also notifies the pages.
 */
export function clusterLinks({ db, keyring, events, hypervisors, log }: LinksDeps): ClusterLinks {
  const connected = new Map<number, string>()
  const problems = new Map<number, string>()
  let unsubscribe: (() => void) | undefined
  const turn = inTurn()

  const link = async (row: ClusterRow): Promise<void> => {
    const key = keyOf(row)
    if (connected.get(row.id) === key) return
    connected.set(row.id, key)
    problems.delete(row.id)
    try {
      await hypervisors.connect(row.id, connectionOf(row, keyring))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      problems.set(row.id, message)
      log.error({ err: error, cluster: row.name }, 'a cluster cannot be connected')
      await hypervisors.disconnect(row.id)
    }
  }

  const agree = async (): Promise<void> => {
    const rows = await db.select().from(clusters).orderBy(asc(clusters.id))
    const wanted = new Set(rows.map(({ id }) => id))
    for (const id of connected.keys()) {
      if (wanted.has(id)) continue
      connected.delete(id)
      problems.delete(id)
      await hypervisors.disconnect(id)
    }
    for (const row of rows) await link(row)
  }

  const refresh = (): Promise<void> => turn('clusters', agree)

  return {
    async start() {
      unsubscribe ??= events.subscribe(['admins'], ({ body }) => {
        if (body.type !== 'changed' || !body.nouns.includes('clusters')) return
        refresh().catch((error: unknown) =>
          log.error({ err: error }, 'connecting the clusters failed'),
        )
      })
      await refresh()
    },
    refresh,
    problem: (clusterId) => problems.get(clusterId),
    async stop() {
      unsubscribe?.()
      await turn('clusters', async () => {})
    },
  }
}

/** Everything that distinguishes one connection from another. */
const keyOf = ({ host, port, username, password, tlsFingerprint }: ClusterRow): string =>
  JSON.stringify([host, port, username, password, tlsFingerprint])
