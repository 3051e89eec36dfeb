import { asc, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { PackageCreate, PackageUpdate } from '#shared/api/shop/packages.ts'
import { notFound } from '#shared/errors.ts'
import { packageSize } from '#shared/rules/instance/package-size.ts'
import type { Cents } from '#shared/rules/money/money.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { packages } from '../../db/schema/sales.ts'
import { randomId } from '../../lib/random.ts'
import { freeRooms, hasRoom } from '../../provisioning/allocation/capacity.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type Row = typeof packages.$inferSelect
type PackagesDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'events' | 'hypervisors'> & {
  audit: Audit
}

export function packagesService(deps: PackagesDeps) {
  const { db, clock, random, events, hypervisors, audit } = deps

  // Cheapest first. Every visitor runs this query: its SQL is built once.
  const order = [asc(packages.priceCents), asc(packages.name)]
  const all = db
    .select()
    .from(packages)
    .orderBy(...order)
    .prepare('all_packages')
  const onSale = db
    .select()
    .from(packages)
    .where(eq(packages.active, true))
    .orderBy(...order)
    .prepare('packages_on_sale')

  /** One write with its audit record, and an event for every page that shows packages. */
  const write = (actor: Actor, action: string, work: (tx: typeof db) => Promise<Row | undefined>) =>
    db.transaction(async (tx) => {
      const row = await work(tx)
      if (!row) throw notFound('Package')
      await events.emit(tx, 'everyone', { type: 'changed', nouns: ['packages'] })
      await audit.record(tx, actor, { action, target: `package:${row.id}` })
      return row
    })

  return {
    /** On sale now. */
    async public(): Promise<(Row & { soldOut: boolean })[]> {
      const rows = await onSale.execute()
      const rooms = await freeRooms(db, hypervisors)
      return rows.map((row) => ({ ...row, soldOut: !hasRoom(rooms, packageSize(row)) }))
    },

    list: () => all.execute(),

    create: (actor: Actor, { price, ...fields }: z.output<typeof PackageCreate>) =>
      write(actor, 'package.create', async (tx) => {
        const values = { ...fields, id: randomId(random, 9), priceCents: toCents(price) }
        return (await tx.insert(packages).values(values).returning())[0]
      }),

    update: (actor: Actor, id: string, { price, ...fields }: z.output<typeof PackageUpdate>) =>
      write(actor, 'package.update', async (tx) => {
        const change = {
          ...fields,
          updatedAt: clock.now(),
          ...(price === undefined ? {} : { priceCents: toCents(price) }),
        }
        return (await tx.update(packages).set(change).where(eq(packages.id, id)).returning())[0]
      }),

    remove: (actor: Actor, id: string) =>
      write(actor, 'package.delete', async (tx) => {
        return (await tx.delete(packages).where(eq(packages.id, id)).returning())[0]
      }),
  }
}

/** The schema allows two decimals, but a float may be slightly off. */
const toCents = (dollars: number): Cents => Math.round(dollars * 100)
