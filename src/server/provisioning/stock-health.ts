import { eq, inArray } from 'drizzle-orm'
import { networkOf } from '#shared/rules/networks.ts'
import { isStock } from '#shared/rules/token-status.ts'
import type { Db } from '../db/database.ts'
import { clusters, nodes, templates } from '../db/schema/infrastructure.ts'
import { instances } from '../db/schema/stock.ts'
import type { Hypervisors } from '../hypervisor/hypervisors.ts'
import { settingsOf } from '../inventory/cluster-store.ts'
import { liveNode } from '../inventory/live-nodes.ts'
import { type AddressHolder, addressHolders, isTaken } from './addresses.ts'
import { statusOf, type TokenRow } from './token-rows.ts'

type Place = {
  node: typeof nodes.$inferSelect
  cluster: typeof clusters.$inferSelect
}
type World = {
  places: Map<number, Place>
  templates: Map<number, typeof templates.$inferSelect>
  instances: Map<number, typeof instances.$inferSelect>
  holders: AddressHolder[]
}

/** Why each of these tokens cannot be sold now, in a sentence; those that can are not in the map. */
export async function stockProblems(
  db: Db,
  rows: readonly TokenRow[],
  hypervisors: Hypervisors,
): Promise<Map<number, string>> {
  const stock = rows.filter((row) => isStock(statusOf(row)))
  if (stock.length === 0) return new Map()
  const world = await readWorld(db, stock)
  return new Map(
    stock.flatMap((row) => {
      const problem = problemOf(row, world, hypervisors)
      return problem === undefined ? [] : [[row.id, problem] as const]
    }),
  )
}

async function readWorld(db: Db, stock: readonly TokenRow[]): Promise<World> {
  const nodeIds = used(stock, 'nodeId')
  const placed = await db
    .select({ node: nodes, cluster: clusters })
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.clusterId))
    .where(inArray(nodes.id, nodeIds))
  const templateRows = await db
    .select()
    .from(templates)
    .where(inArray(templates.id, used(stock, 'templateId')))
  const instanceRows = await db
    .select()
    .from(instances)
    .where(inArray(instances.id, used(stock, 'instanceId')))
  const clusterIds = [...new Set(placed.map(({ cluster }) => cluster.id))]
  return {
    places: new Map(placed.map((place) => [place.node.id, place])),
    templates: new Map(templateRows.map((row) => [row.id, row])),
    instances: new Map(instanceRows.map((row) => [row.id, row])),
    holders: await addressHolders(db, clusterIds),
  }
}

const used = (rows: readonly TokenRow[], key: 'nodeId' | 'templateId' | 'instanceId'): number[] => [
  ...new Set(rows.flatMap((row) => row[key] ?? [])),
]

function problemOf(row: TokenRow, world: World, hypervisors: Hypervisors): string | undefined {
  const place = row.nodeId === null ? undefined : world.places.get(row.nodeId)
  if (!place) return 'Its node is gone.'
  const status = nodeStatus(place.node, hypervisors)
  if (status === 'offline') return 'Its node is offline.'
  if (status === 'maintenance') return 'Its node is in maintenance.'
  return row.tokenType === 'ready' ? vmProblem(row, world) : cloneProblem(row, place, world)
}

/** What the last poll showed; what was last stored where there was none. */
export function nodeStatus(node: Place['node'], hypervisors: Hypervisors): string {
  const { status } = liveNode(node, hypervisors)
  return status === 'unknown' ? node.status : status
}

function vmProblem(row: TokenRow, world: World): string | undefined {
  const instance = row.instanceId === null ? undefined : world.instances.get(row.instanceId)
  if (!instance || instance.missingSince !== null) return 'Its VM is gone.'
  if (instance.ownerId !== null) return 'Its VM belongs to a client.'
  if (instance.tokenId !== row.id) return 'Its VM is used by another token.'
  return undefined
}

function cloneProblem(row: TokenRow, { cluster }: Place, world: World): string | undefined {
  const template = row.templateId === null ? undefined : world.templates.get(row.templateId)
  if (!template || template.missingSince !== null) return 'Its template is gone.'
  if (template.clusterId !== cluster.id) return 'Its template is in another cluster.'
  if (row.ipAddress === null) return 'It has no address.'
  const { networks } = settingsOf(cluster)
  if (networks.length === 0) return 'Its cluster has no networks: its address cannot be set up.'
  if (!networkOf(networks, row.ipAddress)) return 'Its address lies in no network of its cluster.'
  const wanted = { clusterId: cluster.id, address: row.ipAddress, tokenId: row.id }
  return isTaken(world.holders, wanted) ? 'Its address is taken.' : undefined
}
