import { and, eq, inArray } from 'drizzle-orm'
import { placeOf, poolOf } from '#shared/rules/network/pool.ts'
import { isStock } from '#shared/rules/token/token-status.ts'
import { handsOut, type PoolRow, poolsOf } from '../../addresses/pool-rows.ts'
import type { Db } from '../../db/database.ts'
import { addresses } from '../../db/schema/addresses.ts'
import { clusters, nodes, templates } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import type { Hypervisors } from '../../hypervisor/hypervisors.ts'
import { settingsOf } from '../../inventory/clusters/cluster-store.ts'
import { maySetPassword, NO_GUEST_PASSWORD } from '../../inventory/clusters/guest-passwords.ts'
import { seenNode } from '../../inventory/views/live-nodes.ts'
import { canReach } from '../../inventory/views/template-reach.ts'
import type { TokenRow } from '../../tokens/token-rows.ts'

type NodeFacts = Pick<typeof nodes.$inferSelect, 'clusterId' | 'name' | 'status'>
type ClusterFacts = Pick<typeof clusters.$inferSelect, 'id' | 'settings'>

/** A token and the rows it depends on, as far as they exist. */
type Stock = {
  token: TokenRow
  node: NodeFacts | null
  cluster: ClusterFacts | null
  template: Pick<
    typeof templates.$inferSelect,
    'clusterId' | 'missingSince' | 'hasCloudInit' | 'nodeId' | 'storages'
  > | null
  instance: Pick<
    typeof instances.$inferSelect,
    'ownerId' | 'tokenId' | 'missingSince' | 'clusterId' | 'vmId'
  > | null
}

/**
 * Why each of these tokens cannot be sold now, in a sentence; tokens that can be sold are not in
 * the map.
 */
export async function stockProblems(
  db: Db,
  rows: readonly TokenRow[],
  hypervisors: Hypervisors,
): Promise<Map<number, string>> {
  const onSale = rows.filter((row) => isStock(row.status))
  if (onSale.length === 0) return new Map()
  const stock = await readStock(db, onSale)
  const network = await readNetwork(db, stock)
  return new Map(
    stock.flatMap((one) => {
      const problem = problemOf(one, network, hypervisors)
      return problem === undefined ? [] : [[one.token.id, problem] as const]
    }),
  )
}

type Network = { pools: PoolRow[]; rows: (typeof addresses.$inferSelect)[] }

/** The pools of these tokens, and what their addresses are. */
async function readNetwork(db: Db, stock: readonly Stock[]): Promise<Network> {
  const clusterIds = [...new Set(stock.flatMap(({ cluster }) => cluster?.id ?? []))]
  const list = stock.flatMap(({ token }) => token.ipAddress ?? [])
  if (clusterIds.length === 0 || list.length === 0) return { pools: [], rows: [] }
  const rows = await db
    .select()
    .from(addresses)
    .where(and(inArray(addresses.clusterId, clusterIds), inArray(addresses.address, list)))
  return { pools: await poolsOf(db, clusterIds), rows }
}

/** One query for all tokens, because a sale waits for it. */
async function readStock(db: Db, rows: readonly TokenRow[]): Promise<Stock[]> {
  const found = await db
    // Drizzle decides by the first field of each object whether the row exists, so it must not be
    // nullable.
    .select({
      id: tokens.id,
      node: { clusterId: nodes.clusterId, name: nodes.name, status: nodes.status },
      cluster: { id: clusters.id, settings: clusters.settings },
      template: {
        clusterId: templates.clusterId,
        missingSince: templates.missingSince,
        hasCloudInit: templates.hasCloudInit,
        nodeId: templates.nodeId,
        storages: templates.storages,
      },
      instance: {
        id: instances.id,
        ownerId: instances.ownerId,
        clusterId: instances.clusterId,
        vmId: instances.vmId,
        tokenId: instances.tokenId,
        missingSince: instances.missingSince,
      },
    })
    .from(tokens)
    .leftJoin(nodes, eq(nodes.id, tokens.nodeId))
    .leftJoin(clusters, eq(clusters.id, nodes.clusterId))
    .leftJoin(templates, eq(templates.id, tokens.templateId))
    .leftJoin(instances, eq(instances.id, tokens.instanceId))
    .where(
      inArray(
        tokens.id,
        rows.map(({ id }) => id),
      ),
    )
  const byId = new Map(found.map((needs) => [needs.id, needs]))
  return rows.flatMap((token) => {
    const needs = byId.get(token.id)
    return needs ? [{ ...needs, token }] : []
  })
}

function problemOf(stock: Stock, network: Network, hypervisors: Hypervisors): string | undefined {
  const { token, node, cluster } = stock
  if (token.blocked !== null) return token.blocked
  if (!node || !cluster) return 'Its node is gone.'
  const status = nodeStatus(node, hypervisors)
  if (status === 'offline') return 'Its node is offline.'
  if (status === 'maintenance') return 'Its node is in maintenance.'
  return token.tokenType === 'ready'
    ? vmProblem(stock, hypervisors)
    : (templateProblem(stock, cluster, hypervisors) ?? cloneProblem(stock, cluster, network))
}

/** The status from the last poll, or the stored one if there was no poll yet. */
export const nodeStatus = (node: NodeFacts, hypervisors: Hypervisors): string =>
  seenNode(node, hypervisors)?.state ?? node.status

function vmProblem({ token, instance }: Stock, hypervisors: Hypervisors): string | undefined {
  if (!instance || instance.missingSince !== null) return 'Its VM is gone.'
  if (instance.ownerId !== null) return 'Its VM belongs to a client.'
  if (instance.tokenId !== token.id) return 'Its VM is used by another token.'
  if (maySetPassword(instance, hypervisors) === false) return NO_GUEST_PASSWORD
  return undefined
}

function templateProblem(
  { token, template }: Stock,
  cluster: ClusterFacts,
  hypervisors: Hypervisors,
): string | undefined {
  if (!template || template.missingSince !== null) return 'Its template is gone.'
  if (template.clusterId !== cluster.id) return 'Its template is in another cluster.'
  if (template.hasCloudInit === false) return 'Its template has no cloud-init drive.'
  const { storage, cloneMode } = settingsOf(cluster)
  const to = {
    nodeId: token.nodeId ?? template.nodeId,
    storage: cloneMode === 'full' ? storage : null,
  }
  const inventory = hypervisors.all().get(cluster.id)?.inventory.view().inventory
  return canReach(template, to, inventory) ? undefined : 'Its template cannot reach its node.'
}

function cloneProblem(
  { token }: Stock,
  cluster: ClusterFacts,
  { pools, rows }: Network,
): string | undefined {
  const address = token.ipAddress
  if (address === null) return 'It has no address.'
  const own = pools.filter((pool) => pool.clusterId === cluster.id && handsOut(pool))
  if (own.length === 0) return 'No pool of its cluster has a range for clients.'
  const pool = poolOf(own, address)
  if (!pool || placeOf(pool.ranges, address) === undefined) {
    return 'Its address lies in no range of a pool of its cluster.'
  }
  const row = rows.find((one) => one.clusterId === cluster.id && one.address === address)
  if (row?.state === 'held' && row.tokenId === token.id) return undefined
  return row?.reason ? `Its address is taken: ${row.reason}.` : 'Its address is taken.'
}
