import { asc, desc, eq, inArray, or } from 'drizzle-orm'
import type { z } from 'zod'
import type { AccountExport } from '#shared/api/people/account-export.ts'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import { auditLog, failedLogins, sessions, users } from '../../db/schema/accounts.ts'
import { ledger } from '../../db/schema/ledger.ts'
import { orders, payments, subscriptions } from '../../db/schema/sales.ts'
import { sshKeys } from '../../db/schema/ssh-keys.ts'
import { tokens } from '../../db/schema/stock.ts'
import { jobs } from '../../db/schema/work.ts'

/**
 * Every row of an account that its owner may have. Hashes and sealed passwords are omitted: they
 * would help only a thief of the file. Names of administrators are omitted, too.
 */
export async function exportAccount(
  db: Db,
  id: number,
  now: Date,
): Promise<z.input<typeof AccountExport>> {
  return await db.transaction(
    async (tx) => {
      const [user] = await tx.select().from(users).where(eq(users.id, id))
      if (!user) throw notFound('Account')
      const own = await tx
        .select()
        .from(orders)
        .where(eq(orders.userId, id))
        .orderBy(asc(orders.id))
      const paid = await paymentsOf(
        tx,
        own.map((order) => order.id),
      )
      return {
        exportedAt: now,
        account: { ...user, hasDevice: user.deviceHash !== null },
        sessions: await tx.select().from(sessions).where(eq(sessions.userId, id)),
        sshKeys: await tx
          .select()
          .from(sshKeys)
          .where(eq(sshKeys.userId, id))
          .orderBy(asc(sshKeys.id)),
        activity: await activityOf(tx, id),
        failedLogins: await tx.select().from(failedLogins).where(eq(failedLogins.userId, id)),
        servers: await tx.select().from(tokens).where(eq(tokens.assignedUserId, id)),
        orders: own.map((order) => ({
          ...order,
          payments: paid.filter((payment) => payment.orderId === order.id),
        })),
        ledger: await tx.select().from(ledger).where(eq(ledger.userId, id)).orderBy(asc(ledger.id)),
        subscriptions: await tx.select().from(subscriptions).where(eq(subscriptions.userId, id)),
        jobs: await tx.select().from(jobs).where(eq(jobs.ownerId, id)).orderBy(asc(jobs.createdAt)),
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

const paymentsOf = async (tx: Db, orderIds: number[]) =>
  orderIds.length === 0
    ? []
    : await tx.select().from(payments).where(inArray(payments.orderId, orderIds))

async function activityOf(tx: Db, id: number) {
  const rows = await tx
    .select()
    .from(auditLog)
    .where(or(eq(auditLog.actorId, id), eq(auditLog.subjectId, id)))
    .orderBy(desc(auditLog.id))
  return rows.map((row) => ({
    at: row.at,
    action: row.action,
    target: row.target,
    by: byOf(row, id),
  }))
}

function byOf(row: typeof auditLog.$inferSelect, id: number): 'you' | 'admin' | 'system' {
  if (row.adminSeal !== null) return 'admin'
  if (row.actorId === id) return 'you'
  return row.actorSeal === null ? 'system' : 'admin'
}
