import { and, eq, isNull, sql } from 'drizzle-orm'
import { userName } from '#shared/rules/people/user-name.ts'
import type { Db } from '../../db/database.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { backupSchedules } from '../../db/schema/snapshots.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { planOf } from '../../orders/package-of-server.ts'
import { backed, hasBackupStorage, withoutBackup } from './backup-age.ts'

/** Every server that a client has now, with its schedule and how long it has had no backup. */
export async function backedServers(db: Db, now: Date) {
  const plan = planOf(db)
  const rows = await db
    .select({
      instanceId: instances.id,
      name: instances.name,
      label: instances.label,
      createdAt: instances.createdAt,
      assignedAt: tokens.assignedAt,
      owner: {
        username: users.username,
        firstName: users.firstName,
        lastName: users.lastName,
        email: users.email,
      },
      schedule: backupSchedules,
      clusterId: instances.clusterId,
      backed: backed(instances.id),
      limit: plan.backupLimit,
      hasStorage: hasBackupStorage,
    })
    .from(instances)
    .innerJoin(tokens, and(eq(tokens.id, instances.tokenId), eq(tokens.status, 'assigned')))
    .innerJoin(clusters, eq(clusters.id, instances.clusterId))
    .leftJoinLateral(plan, sql`true`)
    .leftJoin(users, eq(users.id, instances.ownerId))
    .leftJoin(backupSchedules, eq(backupSchedules.instanceId, instances.id))
    .where(isNull(instances.missingSince))
  return rows.map(
    ({ name, label, owner, createdAt, assignedAt, backed: made, limit, hasStorage, ...row }) => ({
      ...row,
      label: label ?? name,
      client: owner && userName(owner),
      days: withoutBackup({ ...made, limit, hasStorage }, assignedAt ?? createdAt, now),
    }),
  )
}
