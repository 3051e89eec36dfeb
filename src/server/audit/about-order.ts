import { eq, or, sql } from 'drizzle-orm'
import { auditLog } from '../db/schema/accounts.ts'

/** What was done to an order itself, and to its token for its sake. */
export const aboutOrder = (id: number) =>
  or(eq(auditLog.target, `order:${id}`), sql`${auditLog.details} ->> 'orderId' = ${String(id)}`)
