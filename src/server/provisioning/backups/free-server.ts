import { and, isNotNull, isNull, lte, notInArray, or, sql } from 'drizzle-orm'
import type { Db } from '../../db/database.ts'
import { handovers } from '../../db/schema/handovers.ts'
import { backups } from '../../db/schema/snapshots.ts'
import { instances, serverCds } from '../../db/schema/stock.ts'
import { CLAIM_MS, HELD_BY_JOB, HELD_BY_PROCESS } from '../../inventory/vm/acts-under-way.ts'

const BACKUP_LOCK = 7_304_231

/** Nothing else is being done with the server. An old claim belongs to a process that died. */
export const isIdle = (now: Date) =>
  and(
    isNull(instances.missingSince),
    isNotNull(instances.marker),
    notInArray(instances.status, HELD_BY_JOB),
    or(
      notInArray(instances.status, HELD_BY_PROCESS),
      lte(instances.lastUpdated, new Date(now.getTime() - CLAIM_MS)),
    ),
  )

/** As for a backup by hand: neither a CD nor a former owner's login gets into one. */
export const isItself = sql`not exists (select 1 from ${serverCds} c where c.instance_id = ${instances.id})
  and not exists (select 1 from ${handovers} h
    where h.instance_id = ${instances.id} and h.login_set_at is null)`

/** No backup is being made on its node, nor waits for its turn there. */
export const isNodeFree = sql`not exists (
  select 1 from ${backups} b join ${instances} o on o.id = b.instance_id
  where b.state = 'creating' and o.cluster_id = ${instances.clusterId}
    and o.node_id is not distinct from ${instances.nodeId})`

/** Of two processes the second looks at a node only when the first has begun its backup there. */
export const lockNode = (
  tx: Db,
  { clusterId, nodeId }: { clusterId: number; nodeId: number | null },
) =>
  tx.execute(
    sql`select pg_advisory_xact_lock(${BACKUP_LOCK}, hashtext(${`${clusterId}/${nodeId}`}))`,
  )
