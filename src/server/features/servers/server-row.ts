import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters, nodes } from '../../db/schema/infrastructure.ts'
import { orders } from '../../db/schema/sales.ts'
import { nextPackages } from '../../db/schema/service-time.ts'
import { hostKeys, serverKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { serverTraffic } from '../../db/schema/traffic.ts'
import { jobs } from '../../db/schema/work.ts'
import { visibleTo } from '../../inventory/views/instance-rows.ts'
import type { JobRow } from '../../jobs/job-store.ts'
import { oSaysPackage, planOf } from '../../orders/package-of-server.ts'
import { backupAge } from '../../provisioning/backups/backup-age.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { transferState } from '../../tokens/handover-rows.ts'
import { passedColumns, planColumns } from '../../traffic/count/traffic-terms.ts'

export type ServerRow = Awaited<ReturnType<typeof query>>[number]

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
  changedAt: string | null
}

const query = (db: Db, where: SQL | undefined) => {
  const plan = planOf(db)
  return db
    .select({
      ...getTableColumns(instances),
      clusterName: clusters.name,
      allowsAgent: sql<boolean>`coalesce((${clusters.settings} ->> 'guestAgent')::boolean, false)`,
      nodeName: nodes.name,
      owner: {
        id: users.id,
        username: users.username,
        firstName: users.firstName,
        lastName: users.lastName,
        email: users.email,
      },
      token: tokens,
      next: nextPackages,
      order: sql<{ id: number; planName: string } | null>`(${lastOrder})`,
      jobs: sql<JobOfServer[]>`(${lastJobs})`,
      keys: sql<KeyOfServer[]>`(${keys})`,
      hostKeys: sql<HostKeyOfServer[]>`(${currentHostKeys})`,
      transfer: transferState({
        tokenId: tokens.id,
        instanceId: instances.id,
        ownerId: tokens.assignedUserId,
      }),
      backed: backupAge(instances.id, plan.backupLimit),
      plan: planColumns(plan),
      traffic: passedColumns,
    })
    .from(instances)
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .leftJoin(nodes, eq(nodes.id, instances.nodeId))
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(nextPackages, eq(nextPackages.tokenId, instances.tokenId))
    .leftJoin(users, eq(users.id, instances.ownerId))
    .leftJoinLateral(plan, sql`true`)
    .leftJoin(serverTraffic, eq(serverTraffic.instanceId, instances.id))
    .where(where)
}

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

function found([row]: ServerRow[]): ServerRow {
  if (!row) throw notFound('Instance')
  return row
}

/** The order that says its package: the one it was delivered for, or the last change. */
const lastOrder: SQL = sql`
  select json_build_object('id', o.id, 'planName', o.plan_name) from ${orders} o
  where o.token_id = ${tokens.id} and o.user_id = ${instances.ownerId} and ${oSaysPackage}
  order by o.id desc limit 1`

/** The last job about the server or its time, unless it succeeded; not those of a former owner. */
const lastJobs: SQL = sql`
  select coalesce(json_agg(json_build_object('id', j.id, 'kind', j.kind, 'title', j.title,
    'state', j.state, 'step', j.step, 'progress', j.progress, 'failure', j.failure,
    'stuck', j.stuck) order by j.created_at), '[]'::json)
  from (
    select distinct on (subject) * from ${jobs}
    where subject in (concat('token:', ${tokens.id}), concat('instance:', ${instances.id}))
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

/** The current ones, each with the moment a former one of its type was replaced. */
const currentHostKeys: SQL = sql`
  select coalesce(json_agg(json_build_object('type', k.type, 'fingerprint', k.fingerprint,
    'publicKey', k.public_key, 'seenAt', k.seen_at, 'lastSeenAt', k.last_seen_at,
    'changedAt', (select max(f.replaced_at) from ${hostKeys} f
      where f.instance_id = k.instance_id and f.type = k.type)
    ) order by k.type <> 'ssh-ed25519', k.type), '[]'::json)
  from ${hostKeys} k
  where k.instance_id = ${instances.id} and k.replaced_at is null`
