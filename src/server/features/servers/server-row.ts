import { and, eq, type SQL, sql } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { type Packed, packed, packedRow } from '../../db/packed.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { nextPackages } from '../../db/schema/service-time.ts'
import { hostKeys, serverKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { serverTraffic } from '../../db/schema/traffic.ts'
import { jobs } from '../../db/schema/work.ts'
import { visibleTo } from '../../inventory/views/instance-rows.ts'
import type { JobRow } from '../../jobs/job-store.ts'
import { lastPlanOf, saysPackage } from '../../orders/package-of-server.ts'
import { hasBackupStorage, lastBackup } from '../../provisioning/backups/backup-age.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { transferState } from '../../tokens/handover-rows.ts'
import { passedColumns } from '../../traffic/count/traffic-terms.ts'

export type ServerRow = Packed<typeof fields>

type JobOfServer = Pick<
  JobRow,
  'id' | 'kind' | 'title' | 'state' | 'step' | 'progress' | 'failure' | 'stuck'
>
type KeyOfServer = { fingerprint: string; name: string | null }
export type HostKeyOfServer = {
  type: string
  fingerprint: string
  publicKey: string
  seenAt: string
  lastSeenAt: string
  /** Null for the current one of its type. */
  replacedAt: string | null
}

/** The last job about the server or its time, unless it succeeded; not those of a former owner. */
const lastJobs: SQL = sql`
  select coalesce(json_agg(json_build_object('id', j.id, 'kind', j.kind, 'title', j.title,
    'state', j.state, 'step', j.step, 'progress', j.progress, 'failure', j.failure,
    'stuck', j.stuck) order by j.created_at), '[]'::json)
  from (
    select distinct on (subject) * from ${jobs}
    where subject in (concat('token:', ${instances.tokenId}), concat('instance:', ${instances.id}))
      and (owner_id is null or owner_id = ${instances.ownerId} or ${instances.ownerId} is null)
    order by subject, created_at desc
  ) j where j.state <> 'done'`

/** The keys it was made with, by the names its owner gave them. */
const keys: SQL = sql`
  select coalesce(json_agg(json_build_object('fingerprint', k.fingerprint, 'name', r.name)
    order by r.name, k.fingerprint), '[]'::json)
  from ${serverKeys} k
  left join ${sshKeys} r on r.fingerprint = k.fingerprint and r.user_id = ${instances.ownerId}
  where k.instance_id = ${instances.id}`

/** The current ones, and those that they replaced. */
const hostKeysSeen: SQL = sql`
  select coalesce(json_agg(json_build_object('type', k.type, 'fingerprint', k.fingerprint,
    'publicKey', k.public_key, 'seenAt', k.seen_at, 'lastSeenAt', k.last_seen_at,
    'replacedAt', k.replaced_at) order by k.type <> 'ssh-ed25519', k.type), '[]'::json)
  from ${hostKeys} k
  where k.instance_id = ${instances.id}`

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
  jobs: sql<JobOfServer[]>`(${lastJobs})`,
  keys: sql<KeyOfServer[]>`(${keys})`,
  hostKeys: sql<HostKeyOfServer[]>`(${hostKeysSeen})`,
  transfer: transferState({
    tokenId: instances.tokenId,
    instanceId: instances.id,
    ownerId: instances.ownerId,
  }),
  lastBackup: lastBackup(instances.id),
}

const query = (db: Db, where: SQL | undefined) =>
  db
    .select({ row: packed(fields) })
    .from(instances)
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .where(where)

/** Everything about one server, in one query. Another client's is not found (I3). */
export async function serverRow(db: Db, actor: Actor, id: number): Promise<ServerRow> {
  return found(await query(db, and(eq(instances.id, id), visibleTo(actor))))
}

/** The same for the page, which is read all the time: its SQL is built once. */
export function createServerRows(db: Db) {
  const id = sql.placeholder('id')
  const any = query(db, eq(instances.id, id)).prepare('server')
  const isOwn = eq(instances.ownerId, sql.placeholder('userId'))
  const own = query(db, and(eq(instances.id, id), isOwn)).prepare('own_server')
  return async (actor: Actor, wanted: number): Promise<ServerRow> =>
    found(
      isAdmin(actor)
        ? await any.execute({ id: wanted })
        : await own.execute({ id: wanted, userId: actor.user.id }),
    )
}

function found([answer]: { row: ServerRow }[]): ServerRow {
  if (!answer) throw notFound('Instance')
  return answer.row
}
