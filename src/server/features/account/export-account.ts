import { asc, desc, eq, inArray, or, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { AccountExport } from '#shared/api/people/account-export.ts'
import { notFound } from '#shared/errors.ts'
import type { Db } from '../../db/database.ts'
import {
  auditLog,
  failedLogins,
  passkeys,
  recoveries,
  recoveryCodes,
  recoveryKits,
  secondFactors,
  sessions,
  users,
} from '../../db/schema/accounts.ts'
import { reverseNames } from '../../db/schema/addresses.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { ledger } from '../../db/schema/ledger.ts'
import { orders, payments, subscriptions } from '../../db/schema/sales.ts'
import { apiKeys, sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { jobs, webhookDeliveries, webhooks } from '../../db/schema/work.ts'
import type { Clock } from '../../lib/clock.ts'
import { receiptsOf } from '../../receipts/receipt-rows.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { openContent } from '../../webhooks/webhook-store.ts'

/**
 * Every row of an account that its owner may have. Hashes and sealed passwords are omitted: they
 * would help only a thief of the file. Names of administrators are omitted, too.
 */
export async function exportAccount(
  { db, clock, keyring }: { db: Db; clock: Clock; keyring: Keyring },
  id: number,
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
      const orderIds = own.map((order) => order.id)
      const paid = await paymentsOf(tx, orderIds)
      const issued = await receiptsOf(tx, orderIds)
      return {
        exportedAt: clock.now(),
        account: { ...user, hasDevice: user.deviceHash !== null },
        sessions: await tx.select().from(sessions).where(eq(sessions.userId, id)),
        ...(await waysInOf(tx, id)),
        sshKeys: await tx
          .select()
          .from(sshKeys)
          .where(eq(sshKeys.userId, id))
          .orderBy(asc(sshKeys.id)),
        apiKeys: await tx
          .select()
          .from(apiKeys)
          .where(eq(apiKeys.userId, id))
          .orderBy(asc(apiKeys.id)),
        webhooks: await webhooksOf(tx, keyring, id),
        reverseNames: await tx.select().from(reverseNames).where(eq(reverseNames.ownerId, id)),
        activity: await activityOf(tx, id),
        failedLogins: await tx.select().from(failedLogins).where(eq(failedLogins.userId, id)),
        servers: await tx.select().from(tokens).where(eq(tokens.assignedUserId, id)),
        firewalls: await firewallsOf(tx, id),
        orders: own.map((order) => ({
          ...order,
          payments: paid.filter((payment) => payment.orderId === order.id),
          receipts: issued.filter((receipt) => receipt.orderId === order.id),
        })),
        ledger: await tx.select().from(ledger).where(eq(ledger.userId, id)).orderBy(asc(ledger.id)),
        subscriptions: await tx.select().from(subscriptions).where(eq(subscriptions.userId, id)),
        jobs: await tx.select().from(jobs).where(eq(jobs.ownerId, id)).orderBy(asc(jobs.createdAt)),
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

async function waysInOf(tx: Db, id: number) {
  const [factor] = await tx
    .select({ since: secondFactors.confirmedAt })
    .from(secondFactors)
    .where(eq(secondFactors.userId, id))
  const since = factor?.since ?? null
  const codesLeft = await tx.$count(recoveryCodes, eq(recoveryCodes.userId, id))
  const [recoveryKit = null] = await tx
    .select()
    .from(recoveryKits)
    .where(eq(recoveryKits.userId, id))
  const [recovery = null] = await tx.select().from(recoveries).where(eq(recoveries.userId, id))
  const own = await tx
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, id))
    .orderBy(asc(passkeys.id))
  const secondFactor = since === null ? null : { since, codesLeft }
  return { secondFactor, passkeys: own, recoveryKit, recovery }
}

async function webhooksOf(tx: Db, keyring: Keyring, id: number) {
  const rows = await tx
    .select()
    .from(webhooks)
    .where(eq(webhooks.userId, id))
    .orderBy(asc(webhooks.id))
  const ids = rows.map((row) => row.id)
  const sent =
    ids.length === 0
      ? []
      : await tx
          .select()
          .from(webhookDeliveries)
          .where(inArray(webhookDeliveries.webhookId, ids))
          .orderBy(asc(webhookDeliveries.id))
  return rows.map((row) => ({
    ...row,
    url: openContent(keyring, row).url,
    deliveries: sent
      .filter(({ webhookId }) => webhookId === row.id)
      .map((one) => ({ ...one, payload: one.body })),
  }))
}

/** Those that hold, and those that are or were tried. */
async function firewallsOf(tx: Db, id: number) {
  const rows = await tx
    .select({
      server: sql<string>`coalesce(${instances.label}, ${instances.name})`,
      confirmed: firewalls.confirmed,
      trial: firewalls.trial,
      reverted: firewalls.reverted,
    })
    .from(firewalls)
    .innerJoin(instances, eq(instances.id, firewalls.instanceId))
    .where(eq(instances.ownerId, id))
    .orderBy(asc(instances.id))
  return rows.flatMap(({ server, confirmed, trial, reverted }) =>
    [confirmed, trial, reverted]
      .filter((one) => one !== null)
      .filter(({ rules }) => rules.length > 0)
      .map((one) => ({ server, ...one })),
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
