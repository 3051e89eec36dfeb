import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { sizeFromName } from '#shared/rules/instance/instance-size.ts'
import { firstUserOf, holdsSystem } from '#shared/rules/instance/system-of-template.ts'
import { STOCK } from '#shared/rules/token/token-status.ts'
import { takeIpv6 } from '../addresses/give-ipv6.ts'
import { settleAddresses } from '../addresses/settle-addresses.ts'
import { takeFreeAddress } from '../addresses/take-address.ts'
import type { Db } from '../db/database.ts'
import { clusters, templates } from '../db/schema/infrastructure.ts'
import { tokens } from '../db/schema/stock.ts'
import { nodesTakingUserData } from '../inventory/clusters/seed-stores.ts'
import { randomId, randomPassword } from '../lib/random.ts'
import { fullPriceOf, type OrderRow } from '../orders/orders.ts'
import type { Deps } from '../runtime/deps.ts'
import { sealPassword } from '../tokens/token-rows.ts'
import { freeRooms, hasRoom } from './allocation/capacity.ts'
import { stockProblems } from './allocation/stock-health.ts'
import { planDays } from './package-change/plan-on-sale.ts'
import { claimToken } from './provision/claim-step.ts'

type ServerDeps = Pick<Deps, 'clock' | 'random' | 'keyring' | 'hypervisors'>
type Prepared = { tokenId: number } | { reason: string }

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
async function fromStock(tx: Db, order: Owned, { hypervisors, clock }: ServerDeps) {
  const rows = await tx
    .select()
    .from(tokens)
    .where(
      and(
        inArray(tokens.status, STOCK),
        isNull(tokens.assignedUserId),
        eq(tokens.osType, order.osType ?? ''),
        eq(tokens.monthlyPriceCents, fullPriceOf(order)),
        eq(tokens.durationDays, planDays(order.planName)),
        // What is in stock has an IPv4 address.
        order.ipv6Only ? sql`false` : undefined,
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
    const claim = { userId: order.userId, now: clock.now() }
    if (await claimToken(tx, eq(tokens.id, row.id), claim)) return { tokenId: row.id }
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
  const roomy = fitting.filter(({ template }) =>
    hasRoom(
      rooms.filter(({ nodeId }) => nodeId === template.nodeId),
      size,
    ),
  )
  if (roomy.length === 0) return { reason: `No node with ${osType} has room for it now.` }
  for (const { template, cluster } of roomy) {
    const where = { clusterId: cluster.id, now: deps.clock.now() }
    const found = await takeAddresses(tx, where, order)
    if (!found) continue
    const tokenId = await makeToken(tx, order, { template, ...found }, deps)
    await settleAddresses(tx, where, [found.ipAddress, found.ipv6Address])
    return { tokenId }
  }
  const what = order.ipv6Only ? 'IPv6 address' : 'address'
  return { reason: `No free ${what} is left in the cluster.` }
}

type Addresses = { ipAddress: string | null; ipv6Address: string | null }

/** An IPv4 address with an IPv6 address beside it where there is one, or that alone. */
async function takeAddresses(
  tx: Db,
  where: { clusterId: number; now: Date },
  { ipv6Only }: Owned,
): Promise<Addresses | undefined> {
  if (ipv6Only) {
    const ipv6Address = await takeIpv6(tx, where, null)
    return ipv6Address === undefined ? undefined : { ipAddress: null, ipv6Address }
  }
  const ipAddress = await takeFreeAddress(tx, { ...where, family: 4 })
  if (ipAddress === undefined) return undefined
  return { ipAddress, ipv6Address: (await takeIpv6(tx, where, ipAddress)) ?? null }
}

async function makeToken(
  tx: Db,
  order: Owned,
  place: Addresses & { template: typeof templates.$inferSelect },
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
      ipv6Address: place.ipv6Address,
      nodeId: place.template.nodeId,
      templateId: place.template.id,
      osType,
      username: firstUserOf(osType),
      password: sealPassword(keyring, tokenId, randomPassword(random)),
      monthlyPriceCents: fullPriceOf(order),
      durationDays: planDays(order.planName),
      createdAt: clock.now(),
    })
    .returning({ id: tokens.id })
  if (!row) throw new Error('the token was not stored')
  return row.id
}
