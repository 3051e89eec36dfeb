import { and, eq, inArray, isNull } from 'drizzle-orm'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { firstUserOf, holdsSystem } from '#shared/rules/instance/system-of-template.ts'
import { isTrial } from '#shared/rules/money/plan-period.ts'
import { nextFreeAddress } from '#shared/rules/network/networks.ts'
import { DEFAULT_DAYS } from '#shared/rules/token/token-expiry.ts'
import { STOCK } from '#shared/rules/token/token-status.ts'
import type { Db } from '../db/database.ts'
import { clusters, templates } from '../db/schema/infrastructure.ts'
import { tokens } from '../db/schema/stock.ts'
import { settingsOf } from '../inventory/clusters/cluster-store.ts'
import { nodesTakingUserData } from '../inventory/clusters/seed-stores.ts'
import { randomId, randomPassword } from '../lib/random.ts'
import type { OrderRow } from '../orders/orders.ts'
import type { Deps } from '../runtime/deps.ts'
import { sealPassword } from '../tokens/token-rows.ts'
import { addressHolders, lockAddresses } from './allocation/addresses.ts'
import { freeRooms, hasRoom } from './allocation/capacity.ts'
import { stockProblems } from './allocation/stock-health.ts'
import { claimToken } from './provision/claim-step.ts'

type ServerDeps = Pick<Deps, 'clock' | 'random' | 'keyring' | 'hypervisors'>
type Prepared = { tokenId: number } | { reason: string }

const TRIAL_DAYS = 7
export const planDays = (planName: string): number =>
  isTrial(planName) ? TRIAL_DAYS : DEFAULT_DAYS

/**
 * Returns a token for a paid package: one from the stock, or a new one if a template has capacity.
 */
export async function prepareToken(tx: Db, order: OrderRow, deps: ServerDeps): Promise<Prepared> {
  if (order.userId === null) return { reason: 'The client no longer exists.' }
  const own = { ...order, userId: order.userId }
  return (await fromStock(tx, own, deps)) ?? (await fromTemplate(tx, own, deps))
}

type Owned = OrderRow & { userId: number }

/** An exact match only: system, size, price and term. */
async function fromStock(tx: Db, order: Owned, { hypervisors }: ServerDeps) {
  const rows = await tx
    .select()
    .from(tokens)
    .where(
      and(
        inArray(tokens.status, STOCK),
        isNull(tokens.assignedUserId),
        eq(tokens.osType, order.osType ?? ''),
        eq(tokens.monthlyPriceCents, order.amountCents),
        eq(tokens.durationDays, planDays(order.planName)),
        // A VM that runs already takes neither keys nor a hostname.
        order.setup ? eq(tokens.tokenType, 'ip_mac') : undefined,
      ),
    )
  const wanted = JSON.stringify(sizeFromName(order.serverName ?? ''))
  const problems = await stockProblems(tx, rows, hypervisors)
  const mayBeOn = await nodesFor(tx, order, hypervisors)
  for (const row of rows) {
    if (!mayBeOn(row.nodeId)) continue
    if (problems.has(row.id) || JSON.stringify(sizeFromName(row.name)) !== wanted) continue
    if (await claimToken(tx, eq(tokens.id, row.id), order.userId)) return { tokenId: row.id }
  }
  return undefined
}

/** A server with user data is made where that can be given to it. */
async function nodesFor(tx: Db, { setup }: Owned, hypervisors: ServerDeps['hypervisors']) {
  if (!setup?.userData) return () => true
  const nodes = await nodesTakingUserData(tx, hypervisors)
  return (nodeId: number | null) => nodes.has(nodeId ?? 0)
}

async function fromTemplate(tx: Db, order: Owned, deps: ServerDeps): Promise<Prepared> {
  const osType = order.osType ?? ''
  const rows = await tx
    .select({ template: templates, cluster: clusters })
    .from(templates)
    .innerJoin(clusters, eq(clusters.id, templates.clusterId))
    .where(isNull(templates.missingSince))
  const usable = rows.filter(
    ({ template }) => template.hasCloudInit !== false && holdsSystem(template.name, osType),
  )
  if (usable.length === 0)
    return { reason: `There is no template for ${osType} with a cloud-init drive yet.` }
  const mayBeOn = await nodesFor(tx, order, deps.hypervisors)
  const fitting = usable.filter(({ template }) => mayBeOn(template.nodeId))
  if (fitting.length === 0) return { reason: `No node with ${osType} takes start-up scripts now.` }
  const size = sizeFromName(order.serverName ?? '')
  const rooms = await freeRooms(tx, deps.hypervisors, order.id)
  const place = fitting.find(({ template }) =>
    hasRoom(
      rooms.filter(({ nodeId }) => nodeId === template.nodeId),
      size,
    ),
  )
  if (!place) return { reason: `No node with ${osType} has room for it now.` }
  const ipAddress = await takeAddress(tx, place.cluster)
  if (ipAddress === undefined) return { reason: 'No free address is left in the cluster.' }
  return { tokenId: await makeToken(tx, order, { ...place, ipAddress }, deps) }
}

async function takeAddress(tx: Db, cluster: typeof clusters.$inferSelect) {
  await lockAddresses(tx, cluster.id)
  const taken = new Set((await addressHolders(tx, [cluster.id])).map(({ address }) => address))
  return nextFreeAddress(settingsOf(cluster).networks, taken)
}

async function makeToken(
  tx: Db,
  order: Owned,
  place: { template: typeof templates.$inferSelect; ipAddress: string },
  { clock, random, keyring }: ServerDeps,
): Promise<number> {
  const tokenId = randomId(random)
  const osType = order.osType ?? ''
  const [row] = await tx
    .insert(tokens)
    .values({
      tokenId,
      name: order.serverName ?? order.planName,
      tokenType: 'ip_mac',
      status: 'pending',
      assignedUserId: order.userId,
      forOrder: order.id,
      ipAddress: place.ipAddress,
      nodeId: place.template.nodeId,
      templateId: place.template.id,
      osType,
      username: firstUserOf(osType),
      password: sealPassword(keyring, tokenId, randomPassword(random)),
      monthlyPriceCents: order.amountCents,
      durationDays: planDays(order.planName),
      createdAt: clock.now(),
    })
    .returning({ id: tokens.id })
  if (!row) throw new Error('the token was not stored')
  return row.id
}
