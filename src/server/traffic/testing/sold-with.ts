import { eq } from 'drizzle-orm'
import { orders, packages } from '../../db/schema/sales.ts'
import type { TestApp } from '../../testing/test-app.ts'

type Terms = Pick<
  typeof packages.$inferInsert,
  'rateMbit' | 'trafficGb' | 'trafficCounts' | 'slowMbit' | 'backupLimit'
>

const SYSTEMS = ['Ubuntu 22.04', 'Debian 12']

/** Gives the package of a token these terms, as if it was sold with one. */
export async function soldWith(
  t: Pick<TestApp, 'db'>,
  tokenId: number,
  terms: Terms,
): Promise<string> {
  const id = `plan-${tokenId}`
  const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
  await t.db
    .insert(packages)
    .values({ id, name: 'Small', ...size, priceCents: 500, osOptions: SYSTEMS, ...terms })
    .onConflictDoUpdate({ target: packages.id, set: terms })
  const ofToken = eq(orders.tokenId, tokenId)
  const changed = await t.db.update(orders).set({ planId: id }).where(ofToken).returning()
  if (changed.length === 0) {
    await t.db.insert(orders).values({ planName: 'Small', planId: id, tokenId, amountCents: 500 })
  }
  return id
}
