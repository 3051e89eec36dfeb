import { asc, eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import type { WebhookEvent } from '#shared/rules/people/webhook-events.ts'
import { type AuditEntry, createAudit } from '../../audit/audit-log.ts'
import { webhookDeliveries, webhooks } from '../../db/schema/work.ts'
import type { Person, TestApp } from '../../testing/test-app.ts'
import { createEventCollector } from '../collect-events.ts'
import { createOutgoing } from '../outgoing.ts'

/** An app whose webhooks may lead to this machine, where the receivers of tests are. */
export const INSIDE = { WEBHOOK_REACH: 'inside' }

/** Makes webhooks, lets things happen, and delivers when the test says so. */
export function listening(t: TestApp) {
  const audit = createAudit(t.deps.clock)
  const outgoing = createOutgoing({ ...t.deps, audit })
  return {
    ...outgoing,
    /** Without calling anybody. */
    collect: createEventCollector(t.deps),
    hook: (who: Person, url: string, events: WebhookEvent[] = ['server.power', 'order.paid']) =>
      t.as(who).call(api.ownWebhooks.create, { body: { url, events } }),
    happens: (entry: AuditEntry, actor?: Person) =>
      t.db.transaction((tx) => audit.record(tx, actor && { user: actor }, entry)),
    deliveriesOf: (webhookId: number) =>
      t.db
        .select()
        .from(webhookDeliveries)
        .where(eq(webhookDeliveries.webhookId, webhookId))
        .orderBy(asc(webhookDeliveries.id)),
    async row(id: number) {
      const [row] = await t.db.select().from(webhooks).where(eq(webhooks.id, id))
      if (!row) throw new Error('no such webhook')
      return row
    },
  }
}
