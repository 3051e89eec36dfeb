import { type SQL, sql } from 'drizzle-orm'
import { OPEN_FIREWALL } from '#shared/rules/network/firewall-rules.ts'
import type { Db } from '../db/database.ts'
import { firewalls } from '../db/schema/firewalls.ts'

/**
 * The rules of a former owner go with that owner: they name its places, and could lock the new one
 * out. The sweep opens the firewall in the cluster.
 */
export const forgetRules = (tx: Db, which: SQL) =>
  tx
    .update(firewalls)
    .set({
      confirmed: OPEN_FIREWALL,
      confirmedAt: null,
      trial: null,
      revertAt: null,
      reverted: null,
      revertedAt: null,
      version: sql`${firewalls.version} + 1`,
      checkedAt: null,
    })
    .where(which)
