import { eq, inArray } from 'drizzle-orm'
import type { z } from 'zod'
import type { Removal } from '#shared/api/overview/dashboard.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { users } from '../../db/schema/accounts.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import {
  approveRemovals,
  confirmTime,
  heldRemovals,
} from '../../provisioning/lifecycle/held-removals.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type RemovalsDeps = Pick<Deps, 'db' | 'clock' | 'config'> & { audit: Audit }

/** An operator's decisions about servers that wait to be deleted, and about the clock. */
export function removalsService(deps: RemovalsDeps) {
  const { db, audit } = deps
  return {
    async list(): Promise<z.input<typeof Removal>[]> {
      const held = await heldRemovals(db, deps)
      if (held.length === 0) return []
      const places = await db
        .select({ id: instances.id, vmId: instances.vmId, cluster: clusters.name })
        .from(instances)
        .innerJoin(clusters, eq(clusters.id, instances.clusterId))
        .where(
          inArray(
            instances.id,
            held.flatMap(({ token }) => token.assignedInstanceId ?? []),
          ),
        )
      const people = await db
        .select({ id: users.id, username: users.username })
        .from(users)
        .where(
          inArray(
            users.id,
            held.flatMap(({ token }) => token.assignedUserId ?? []),
          ),
        )
      return held.map(({ token, end }) => {
        const place = places.find(({ id }) => id === token.assignedInstanceId)
        return {
          tokenId: token.id,
          name: token.name,
          client: people.find(({ id }) => id === token.assignedUserId)?.username ?? null,
          cluster: place?.cluster ?? null,
          vmId: place?.vmId ?? null,
          endedAt: end.endsAt,
        }
      })
    },

    confirm: (actor: Actor, tokenIds: readonly number[]): Promise<void> =>
      db.transaction(async (tx) => {
        const approved = await approveRemovals(tx, tokenIds, deps)
        if (approved.length === 0) return
        const details = { tokenIds: approved }
        await audit.record(tx, actor, { action: 'removals.confirm', details })
      }),

    confirmTime: (actor: Actor): Promise<void> =>
      db.transaction(async (tx) => {
        const jumpMs = deps.clock.jumpMs?.() ?? 0
        await confirmTime(tx, deps)
        await audit.record(tx, actor, { action: 'time.confirm', details: { jumpMs } })
      }),
  }
}
