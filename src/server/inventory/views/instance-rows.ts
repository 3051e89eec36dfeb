import { and, asc, eq, inArray, type SQL } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { type Actor, isAdmin, reachesServer } from '../../sessions/actor.ts'

/** An instance with the fields of its token, owner, node and cluster that every view needs. */
export type JoinedInstance = Awaited<ReturnType<typeof instanceRows>>[number]

export const instanceRows = (db: Db, where?: SQL) =>
  db
    .select({
      id: instances.id,
      clusterId: instances.clusterId,
      clusterUid: clusters.uid,
      vmId: instances.vmId,
      marker: instances.marker,
      uuid: instances.uuid,
      nodeId: instances.nodeId,
      nodeName: nodes.name,
      templateId: instances.templateId,
      tokenId: instances.tokenId,
      ownerId: instances.ownerId,
      name: instances.name,
      label: instances.label,
      ipAddress: instances.ipAddress,
      ipv6Address: instances.ipv6Address,
      status: instances.status,
      uptime: instances.uptime,
      cpuUsage: instances.cpuUsage,
      memoryUsed: instances.memoryUsed,
      monthlyPriceCents: instances.monthlyPriceCents,
      missingSince: instances.missingSince,
      suspendedAt: instances.suspendedAt,
      suspendReason: instances.suspendReason,
      createdAt: instances.createdAt,
      lastUpdated: instances.lastUpdated,
      powerFailure: instances.powerFailure,
      owner: {
        username: users.username,
        firstName: users.firstName,
        lastName: users.lastName,
        email: users.email,
      },
      token: {
        createdAt: tokens.createdAt,
        durationDays: tokens.durationDays,
        clientIpAddress: tokens.clientIpAddress,
        domain: tokens.domain,
        username: tokens.username,
        ipAddress: tokens.ipAddress,
        monthlyPriceCents: tokens.monthlyPriceCents,
        status: tokens.status,
      },
    })
    .from(instances)
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .leftJoin(nodes, eq(nodes.id, instances.nodeId))
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(users, eq(users.id, instances.ownerId))
    .where(where)
    .orderBy(asc(instances.id))

/**
 * The instances an actor may see: an admin all, a client its own, and of these an API key the ones
 * it is bound to. Part of every query (I3).
 */
export function visibleTo(actor: Actor): SQL | undefined {
  if (isAdmin(actor)) return undefined
  const bound = actor.key?.instanceIds
  return and(
    eq(instances.ownerId, actor.user.id),
    bound ? inArray(instances.id, [...bound]) : undefined,
  )
}

/** The same for a row that was read without `visibleTo`. */
export const isVisibleTo = (
  actor: Actor,
  { id, ownerId }: { id: number; ownerId: number | null },
): boolean => isAdmin(actor) || (ownerId === actor.user.id && reachesServer(actor, id))

/** Another client's instance is not found, with the same message as one that does not exist. */
export async function instanceFor(db: Db, actor: Actor, id: number): Promise<JoinedInstance> {
  const [row] = await instanceRows(db, and(eq(instances.id, id), visibleTo(actor)))
  if (!row) throw notFound('Instance')
  return row
}
