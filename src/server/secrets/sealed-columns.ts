import { eq, getTableName, inArray, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '../db/database.ts'
import { secondFactors, settings } from '../db/schema/accounts.ts'
import { idempotencyKeys } from '../db/schema/idempotency.ts'
import { clusters } from '../db/schema/infrastructure.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { jobSteps, jobs, webhooks } from '../db/schema/work.ts'
import { UNFINISHED } from '../jobs/job-store.ts'
import type { Keyring, Place } from './keyring.ts'

type SealedColumn = { table: PgTable; name: string; column: PgColumn; row: PgColumn }

/** Every column that holds a sealed value, with the column that names its row. */
export const SEALED_COLUMNS: SealedColumn[] = [
  { table: clusters, name: 'password', column: clusters.password, row: clusters.uid },
  { table: tokens, name: 'password', column: tokens.password, row: tokens.tokenId },
  { table: settings, name: 'value', column: settings.value, row: settings.key },
  {
    table: idempotencyKeys,
    name: 'sealed',
    column: idempotencyKeys.sealed,
    row: idempotencyKeys.id,
  },
  {
    table: secondFactors,
    name: 'secret',
    column: secondFactors.secret,
    row: secondFactors.userId,
  },
  { table: webhooks, name: 'sealed', column: webhooks.sealed, row: webhooks.uid },
]

export const clusterPassword = (uid: string): Place => placeOf(clusters, 'password', uid)
export const tokenPassword = (tokenId: string): Place => placeOf(tokens, 'password', tokenId)
export const settingValue = (key: string): Place => placeOf(settings, 'value', key)
export const userDataPlace = (id: string): Place => placeOf(orders, 'setup', id)
export const callRecord = (id: string): Place => placeOf(idempotencyKeys, 'sealed', id)

export const webhookContent = (uid: string): Place => placeOf(webhooks, 'sealed', uid)

export const secondFactorSecret = (userId: number): Place =>
  placeOf(secondFactors, 'secret', String(userId))

const placeOf = (table: PgTable, column: string, row: string): Place => ({
  table: getTableName(table),
  column,
  row,
})

/** Throws if a secret is sealed with a key that is not available. */
export async function requireReadable(db: Db, keyring: Keyring): Promise<void> {
  for (const { table, name, column, row } of SEALED_COLUMNS) {
    for (const found of await db.select({ row, sealed: column }).from(table)) {
      keyring.open(placeOf(table, name, String(found.row)), String(found.sealed))
    }
  }
}

export type Rotation = {
  /** How many secrets were sealed again. */
  count: number
  /** Jobs under way that hold a secret of an earlier key. They open it until they end. */
  jobsWithOld: number
}

/** Seals every secret again with the current key. All or nothing. */
export async function rotateSecrets(db: Db, keyring: Keyring): Promise<Rotation> {
  return await db.transaction(async (tx) => {
    let count = 0
    for (const { table, name, column, row } of SEALED_COLUMNS) {
      const rows = await tx.select({ row, sealed: column }).from(table).for('update')
      for (const found of rows) {
        const key = String(found.row)
        const sealed = String(found.sealed)
        if (keyring.isCurrent(sealed)) continue
        const place = placeOf(table, name, key)
        const again = keyring.seal(place, keyring.open(place, sealed))
        await tx
          .update(table)
          .set({ [name]: again })
          .where(eq(row, key))
        count += 1
      }
    }
    count += await rotateUserData(tx, keyring)
    return { count, jobsWithOld: await jobsWithOldSecrets(tx, keyring) }
  })
}

/** Where a step keeps a secret is its own business; what it looks like is known. */
const SEALED_IN_JSON = /"(v1:[^"]+)"/g

async function jobsWithOldSecrets(tx: Db, keyring: Keyring): Promise<number> {
  const rows = await tx
    .select({ id: jobs.id, input: jobs.input, output: jobSteps.output })
    .from(jobs)
    .leftJoin(jobSteps, eq(jobSteps.jobId, jobs.id))
    .where(inArray(jobs.state, UNFINISHED))
  const holdsOld = ({ input, output }: (typeof rows)[number]) =>
    [...JSON.stringify([input, output]).matchAll(SEALED_IN_JSON)].some(
      ([, sealed = '']) => !keyring.isCurrent(sealed),
    )
  return new Set(rows.filter(holdsOld).map(({ id }) => id)).size
}

/** A sealed value inside of a choice that is not sealed. */
async function rotateUserData(tx: Db, keyring: Keyring): Promise<number> {
  const rows = await tx
    .select({ id: orders.id, setup: orders.setup })
    .from(orders)
    .where(sql`jsonb_exists(${orders.setup}, 'userData')`)
    .for('update')
  let count = 0
  for (const { id, setup } of rows) {
    const data = setup?.userData
    if (!data || keyring.isCurrent(data.sealed)) continue
    const place = userDataPlace(data.id)
    const sealed = keyring.seal(place, keyring.open(place, data.sealed))
    await tx
      .update(orders)
      .set({ setup: { ...setup, userData: { ...data, sealed } } })
      .where(eq(orders.id, id))
    count += 1
  }
  return count
}
