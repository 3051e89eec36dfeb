import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable } from 'drizzle-orm/pg-core'
import type { FirewallFault } from '#shared/rules/network/firewall-faults.ts'
import { type ClientFirewall, OPEN_FIREWALL } from '#shared/rules/network/firewall-rules.ts'
import { moment } from './columns.ts'
import { instances } from './stock.ts'

/** What the firewall of a server is to be, and what was seen of it. */
export const firewalls = pgTable(
  'firewalls',
  {
    instanceId: integer()
      .primaryKey()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** Set by us, and kept so. That of an older server is only looked at until an operator says so. */
    isKept: boolean().notNull().default(false),
    /** Whether it may send mail to other servers, by port 25. */
    isMailOpen: boolean().notNull().default(false),
    /** Why it does not hold; empty if it does. */
    faults: jsonb().$type<FirewallFault[]>().notNull().default(['unchecked']),
    checkedAt: moment(),
    /** The rules of its client that were confirmed last. */
    confirmed: jsonb().$type<ClientFirewall>().notNull().default(OPEN_FIREWALL),
    confirmedAt: moment(),
    /** Rules that hold until `revertAt`, unless they are confirmed before. */
    trial: jsonb().$type<ClientFirewall>(),
    revertAt: moment(),
    /** The rules that were tried last, if they were taken back. */
    reverted: jsonb().$type<ClientFirewall>(),
    revertedAt: moment(),
    /** Counts the changes of what is wished; the second is what the cluster was last seen to have. */
    version: integer().notNull().default(0),
    appliedVersion: integer().notNull().default(0),
  },
  (t) => [
    check('firewalls_trial', sql`(${t.trial} is null) = (${t.revertAt} is null)`),
    check('firewalls_reverted', sql`(${t.reverted} is null) = (${t.revertedAt} is null)`),
    index('firewalls_trials').on(t.revertAt).where(sql`${t.revertAt} is not null`),
    index('firewalls_unapplied').on(t.instanceId).where(sql`${t.version} > ${t.appliedVersion}`),
  ],
)
