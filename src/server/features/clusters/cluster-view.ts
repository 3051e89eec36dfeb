import type { z } from 'zod'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { type ClusterRow, settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { isShutOut } from '../../inventory/clusters/shut-out.ts'
import type { Deps } from '../../runtime/deps.ts'

type ViewDeps = Pick<Deps, 'hypervisors' | 'links'>

/** A cluster as pages see it: its last answer, never its password. */
export function toCluster(row: ClusterRow, deps: ViewDeps): z.input<typeof Cluster> {
  const { isConnected, problem, asOf } = standing(row, deps)
  return {
    id: row.id,
    name: row.name,
    host: row.host,
    port: row.port,
    username: row.username,
    isDefault: row.isDefault,
    status: isConnected ? 'connected' : 'disconnected',
    tlsFingerprint: row.tlsFingerprint,
    problem,
    lastSyncAt: later(row.lastSyncAt, asOf),
    settings: settingsOf(row),
    createdAt: row.createdAt,
  }
}

/** Connected: it answered recently, still accepts us, and at least one of its nodes is online. */
function standing(row: ClusterRow, { hypervisors, links }: ViewDeps) {
  const view = hypervisors.all().get(row.id)?.inventory.view()
  const isAnswering = view !== undefined && view.health !== 'offline'
  const isAnyOnline = view?.inventory?.nodes.some(({ state }) => state === 'online') ?? false
  const isConnected = isAnswering && isAnyOnline && !isShutOut(view.failure)
  const silent =
    view?.inventory === undefined
      ? (row.lastError ?? 'It has not answered yet.')
      : 'None of its nodes is online.'
  const problem = links.problem(row.id) ?? view?.failure?.message ?? (isConnected ? null : silent)
  return { isConnected, problem, asOf: view?.asOf }
}

function later(a: Date | null, b: Date | undefined): Date | null {
  if (a === null || b === undefined) return a ?? b ?? null
  return a > b ? a : b
}

export type OverallState = 'online' | 'degraded' | 'offline' | 'none'

/**
 * One state for the header (I4). A cluster that has not answered since the start does not count as
 * down.
 */
export function overallState(clusterIds: number[], { hypervisors }: ViewDeps): OverallState {
  const states = clusterIds.map((id) => {
    const view = hypervisors.all().get(id)?.inventory.view()
    const isUnheard = view !== undefined && !view.inventory && !view.failure
    return isUnheard ? 'degraded' : (view?.health ?? 'offline')
  })
  const [first] = states
  if (first === undefined) return 'none'
  return states.every((state) => state === first) ? first : 'degraded'
}
