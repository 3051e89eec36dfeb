import { eq, type SQL, sql } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { type Packed, packed, packedRow, packedRows } from '../../db/packed.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { nextPackages } from '../../db/schema/service-time.ts'
import { hostKeys, serverKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { serverTraffic } from '../../db/schema/traffic.ts'
import { jobs } from '../../db/schema/work.ts'
import { isVisibleTo } from '../../inventory/views/instance-rows.ts'
import { lastPlanOf, saysPackage } from '../../orders/package-of-server.ts'
import { backed, hasBackupStorage } from '../../provisioning/backups/backup-age.ts'
import type { Actor } from '../../sessions/actor.ts'
import type { Look, Sessions } from '../../sessions/sessions.ts'
import { transferState } from '../../tokens/handover-rows.ts'
import { passedColumns } from '../../traffic/count/traffic-terms.ts'

export type ServerRow = Packed<typeof fields>
type SessionReads = Pick<Sessions, 'resolveWith'>
export type HostKeyOfServer = ServerRow['hostKeys'][number]

/** The last job about a subject; not those of a former owner. */
const lastJob = (subject: SQL) =>
  packedRow(
    {
      id: jobs.id,
      kind: jobs.kind,
      title: jobs.title,
      state: jobs.state,
      step: jobs.step,
      progress: jobs.progress,
      failure: jobs.failure,
      stuck: jobs.stuck,
      createdAt: jobs.createdAt,
    },
    sql`${jobs} where ${jobs.subject} = ${subject}
      and (${jobs.ownerId} is null or ${jobs.ownerId} = ${instances.ownerId}
        or ${instances.ownerId} is null)
      order by ${jobs.createdAt} desc limit 1`,
  )

/**
 * Only the server and its cluster are joined. Each other row is looked up by itself: PostgreSQL
 * answers in little more than half the time that the same fields took in joins.
 */
const fields = {
  id: instances.id,
  clusterId: instances.clusterId,
  vmId: instances.vmId,
  marker: instances.marker,
  uuid: instances.uuid,
  nodeId: instances.nodeId,
  tokenId: instances.tokenId,
  ownerId: instances.ownerId,
  name: instances.name,
  label: instances.label,
  hostname: instances.hostname,
  notes: instances.notes,
  ipAddress: instances.ipAddress,
  ipv6Address: instances.ipv6Address,
  status: instances.status,
  uptime: instances.uptime,
  cpuUsage: instances.cpuUsage,
  memoryUsed: instances.memoryUsed,
  missingSince: instances.missingSince,
  suspendedAt: instances.suspendedAt,
  suspendReason: instances.suspendReason,
  powerFailure: instances.powerFailure,
  createdAt: instances.createdAt,
  lastUpdated: instances.lastUpdated,
  clusterName: clusters.name,
  allowsAgent: sql<boolean>`coalesce((${clusters.settings} ->> 'guestAgent')::boolean, false)`,
  hasBackupStorage,
  nodeName: sql<string | null>`(
    select ${nodes.name} from ${nodes} where ${nodes.id} = ${instances.nodeId})`,
  owner: packedRow(
    {
      id: users.id,
      username: users.username,
      firstName: users.firstName,
      lastName: users.lastName,
      email: users.email,
    },
    sql`${users} where ${users.id} = ${instances.ownerId}`,
  ),
  token: packedRow(
    {
      id: tokens.id,
      tokenId: tokens.tokenId,
      name: tokens.name,
      status: tokens.status,
      ipAddress: tokens.ipAddress,
      ipv6Address: tokens.ipv6Address,
      clientIpAddress: tokens.clientIpAddress,
      macAddress: tokens.macAddress,
      domain: tokens.domain,
      username: tokens.username,
      password: tokens.password,
      osType: tokens.osType,
      templateId: tokens.templateId,
      monthlyPriceCents: tokens.monthlyPriceCents,
      durationDays: tokens.durationDays,
      assignedAt: tokens.assignedAt,
      expiresAt: tokens.expiresAt,
      cancelledAt: tokens.cancelledAt,
    },
    sql`${tokens} where ${tokens.id} = ${instances.tokenId}`,
  ),
  next: packedRow(
    {
      planId: nextPackages.planId,
      planName: nextPackages.planName,
      serverName: nextPackages.serverName,
      dueAt: nextPackages.dueAt,
    },
    sql`${nextPackages} where ${nextPackages.tokenId} = ${instances.tokenId}`,
  ),
  /** The order that says its package: the one it was delivered for, or the last change. */
  order: packedRow(
    {
      id: orders.id,
      userId: orders.userId,
      planName: orders.planName,
    },
    sql`${orders} where ${orders.tokenId} = ${instances.tokenId} and ${saysPackage}
      order by ${orders.id} desc limit 1`,
  ),
  /** What its package grants: another order's where the package of the last one was deleted. */
  plan: packedRow(
    {
      slowMbit: packages.slowMbit,
      trafficCounts: packages.trafficCounts,
      rateMbit: packages.rateMbit,
      trafficGb: packages.trafficGb,
      backupLimit: packages.backupLimit,
    },
    lastPlanOf(instances.tokenId),
  ),
  traffic: packedRow(
    passedColumns,
    sql`${serverTraffic} where ${serverTraffic.instanceId} = ${instances.id}`,
  ),
  jobOfToken: lastJob(sql`concat('token:', ${instances.tokenId})`),
  jobOfServer: lastJob(sql`concat('instance:', ${instances.id})`),
  /** The keys it was made with, by the names its owner gave them. */
  keys: packedRows(
    { fingerprint: serverKeys.fingerprint, name: sql<string | null>`${sshKeys.name}` },
    sql`${serverKeys} left join ${sshKeys} on ${sshKeys.fingerprint} = ${serverKeys.fingerprint}
      and ${sshKeys.userId} = ${instances.ownerId}
      where ${serverKeys.instanceId} = ${instances.id}`,
  ),
  /** The current ones, and those that they replaced. */
  hostKeys: packedRows(
    {
      type: hostKeys.type,
      fingerprint: hostKeys.fingerprint,
      publicKey: hostKeys.publicKey,
      seenAt: hostKeys.seenAt,
      lastSeenAt: hostKeys.lastSeenAt,
      replacedAt: hostKeys.replacedAt,
    },
    sql`${hostKeys} where ${hostKeys.instanceId} = ${instances.id}`,
  ),
  transfer: transferState({
    tokenId: instances.tokenId,
    instanceId: instances.id,
    ownerId: instances.ownerId,
  }),
  backed: backed(instances.id),
}

const isItsCluster = eq(clusters.id, instances.clusterId)
const byId = eq(instances.id, sql.placeholder('id'))

/**
 * The two ways in which the page reads it. Neither checks the caller: pass the row to
 * `requireVisible`. Their SQL is built once, because pages are read all the time.
 */
export function createServerReads({ db, sessions }: { db: Db; sessions: SessionReads }) {
  const from = sql`${instances} inner join ${clusters} on ${isItsCluster} where ${byId}`
  const withSession = sessions.resolveWith('session_and_server', packedRow(fields, from))
  const alone = select(db, byId).prepare('server')
  return {
    withSession: (token: string, { id }: { id: number }, look?: Look) =>
      withSession(token, { id }, look),
    alone: async ({ id }: { id: number }) => {
      const [answer] = await alone.execute({ id })
      return answer?.row ?? null
    },
  }
}

/** Everything about one server, in one query. Another client's is not found (I3). */
export async function serverRow(db: Db, actor: Actor, id: number): Promise<ServerRow> {
  const [answer] = await select(db, eq(instances.id, id))
  return requireVisible(answer?.row ?? null, actor)
}

const select = (db: Db, where: SQL) =>
  db
    .select({ row: packed(fields) })
    .from(instances)
    .innerJoin(clusters, isItsCluster)
    .where(where)

export function requireVisible(row: ServerRow | null, actor: Actor): ServerRow {
  if (!row || !isVisibleTo(actor, row)) throw notFound('Instance')
  return row
}
