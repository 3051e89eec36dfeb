import { lt } from 'drizzle-orm'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import type { Audit } from '../audit/audit-log.ts'
import { webhookDeliveries } from '../db/schema/work.ts'
import type { Deps } from '../runtime/deps.ts'
import { createEventCollector } from './collect-events.ts'
import { createDeliverer } from './deliver-webhooks.ts'
import { createEndingSoon } from './ending-soon.ts'

const KEPT_MS = 30 * DAY_MS

type OutgoingDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'keyring' | 'config' | 'log'> & {
  audit: Audit
}

/** What webhooks do without a request: hear of what happened, tell it, forget it. */
export function createOutgoing(deps: OutgoingDeps) {
  const { db, clock } = deps
  const collect = createEventCollector(deps)
  const deliver = createDeliverer(deps)
  return {
    deliver: async (): Promise<void> => {
      await collect()
      await deliver()
    },
    endingSoon: createEndingSoon(deps),
    prune: async (): Promise<void> => {
      const before = new Date(clock.now().getTime() - KEPT_MS)
      await db.delete(webhookDeliveries).where(lt(webhookDeliveries.createdAt, before))
    },
  }
}
