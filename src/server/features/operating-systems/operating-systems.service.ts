import { and, asc, count, eq, ne, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type {
  OperatingSystemCreate,
  OperatingSystemUpdate,
} from '#shared/api/servers/operating-systems.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { isStaffRole } from '#shared/rules/people/roles.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { type Db, sqlState } from '../../db/database.ts'
import { operatingSystems } from '../../db/schema/infrastructure.ts'
import { packages } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

const UNIQUE_VIOLATION = '23505'

type Row = typeof operatingSystems.$inferSelect
type SystemsDeps = Pick<Deps, 'db' | 'events'> & { audit: Audit }

export function operatingSystemsService({ db, events, audit }: SystemsDeps) {
  const write = async (
    actor: Actor,
    action: string,
    work: (tx: Db) => Promise<Row | undefined>,
  ) => {
    try {
      return await db.transaction(async (tx) => {
        const row = await work(tx)
        if (!row) throw notFound('Operating system')
        await events.emit(tx, 'everyone', { type: 'changed', nouns: ['operatingSystems'] })
        await audit.record(tx, actor, { action, target: `operating-system:${row.id}` })
        return row
      })
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      throw new AppError('CONFLICT', 'An operating system with this name exists already.')
    }
  }

  return {
    list: (actor: Actor) =>
      db
        .select()
        .from(operatingSystems)
        .where(isStaffRole(actor.user.role) ? undefined : eq(operatingSystems.isActive, true))
        .orderBy(asc(operatingSystems.id)),

    create: (actor: Actor, body: z.output<typeof OperatingSystemCreate>) =>
      write(actor, 'operating-system.create', async (tx) => {
        return (await tx.insert(operatingSystems).values(body).returning())[0]
      }),

    update: (actor: Actor, id: number, body: z.output<typeof OperatingSystemUpdate>) =>
      write(actor, 'operating-system.update', async (tx) => {
        const [row] = await tx
          .update(operatingSystems)
          // Never empty: SQL has no update without a column.
          .set({ ...body, id })
          .where(eq(operatingSystems.id, id))
          .returning()
        return row
      }),

    remove: (actor: Actor, id: number) =>
      write(actor, 'operating-system.delete', async (tx) => {
        const [row] = await tx
          .delete(operatingSystems)
          .where(eq(operatingSystems.id, id))
          .returning()
        if (row) await refuseInUse(tx, row.name)
        return row
      }),
  }
}

/** Tokens and packages refer to their system by its name (I8). */
async function refuseInUse(tx: Db, name: string): Promise<void> {
  const [inTokens] = await tx
    .select({ of: count() })
    .from(tokens)
    .where(and(eq(tokens.osType, name), ne(tokens.status, 'cancelled')))
  const [inPackages] = await tx
    .select({ of: count() })
    .from(packages)
    .where(sql`${packages.osOptions} @> ${JSON.stringify([name])}::jsonb`)
  const uses = [
    ...(inTokens?.of ? [`${inTokens.of} tokens`] : []),
    ...(inPackages?.of ? [`${inPackages.of} packages`] : []),
  ]
  if (uses.length === 0) return
  throw new AppError(
    'IN_USE',
    `${name} is used by ${uses.join(' and ')}. Change those first, or make it inactive.`,
  )
}
