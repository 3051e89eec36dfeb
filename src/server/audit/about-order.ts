import { eq, or, sql } from 'drizzle-orm'
import { auditLog } from '../db/schema/accounts.ts'

/** Entries about an order itself, and about its token because of the order. */
export const aboutOrder = (id: number) =>
  or(eq(auditLog.target, `order:${id}`), sql`${auditLog.details} ->> 'orderId' = ${String(id)}`)
