import { and, desc, eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { creditOf } from '../../ledger/credit.ts'
import { statement } from '../../ledger/statement.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import { createNextPackageSweep } from '../package-change/next-package-sweep.ts'
import { openReinstalls, type SoldServer } from './reinstalls.ts'

const PLAN = { cpu: '2 CPU', ram: '2 GB', storage: '20 GB SSD', osOptions: ['Debian 12'] }

/** Packages beside that of the shop's servers: 2 CPU, 2 GB RAM, 20 GB SSD for $5.00. */
const PLANS = [
  { ...PLAN, id: 'large', name: 'Large', cpu: '4 CPU', ram: '4 GB', storage: '40 GB SSD' },
  { ...PLAN, id: 'small', name: 'Small', cpu: '1 CPU', ram: '1 GB', priceCents: 300 },
  { ...PLAN, id: 'wide', name: 'Wide', storage: '40 GB SSD', priceCents: 600, backupLimit: 2 },
].map((plan) => ({ priceCents: 1100, ...plan }))

/** Servers whose packages are changed, with jobs that run when the test says so. */
export async function openPackageChanges(t: SimApp) {
  const our = await openReinstalls(t)
  const { hand, vmOf, shop } = our
  await t.db.insert(packages).values(PLANS).onConflictDoNothing()
  const sweep = createNextPackageSweep(hand)

  const ask = (who: Person, { id }: SoldServer, packageId: string, restart = true) =>
    t.as(who).attempt(api.packageChange.change, { params: { id }, body: { packageId, restart } })
  const give = (who: Person, amount: string) =>
    t.as(who).call(api.credit.topUp, { body: { amount } })

  return {
    ...our,
    sweep,
    ask,
    give,
    /** A running server whose client has so much credit. */
    async rich(amount = '20.00') {
      const server = await our.server()
      await give(server.user, amount)
      return server
    },
    /** Its paid time is over in so many days. */
    async endsIn({ tokenId }: SoldServer, days: number) {
      const expiresAt = new Date(t.deps.clock.now().getTime() + days * DAY_MS)
      await t.db.update(tokens).set({ expiresAt }).where(eq(tokens.id, tokenId))
      return expiresAt
    },
    async begin(server: SoldServer, packageId: string, restart = true) {
      const { status, body } = await ask(server.user, server, packageId, restart)
      expect({ status, body }).toMatchObject({ status: 202, body: { jobId: expect.any(String) } })
      return body.jobId ?? ''
    },
    keep: ({ id, user }: SoldServer) =>
      t.as(user).attempt(api.packageChange.keep, { params: { id } }),
    preview: ({ id, user }: SoldServer, packageId: string) =>
      t.as(user).attempt(api.packageChange.preview, { params: { id }, query: { packageId } }),
    renew: ({ user, tokenId }: SoldServer) =>
      t.as(user).attempt(api.client.renew, { params: { id: tokenId }, body: {} }),
    page: ({ id, user }: SoldServer) => t.as(user).call(api.servers.get, { params: { id } }),
    /** What the cluster gives the VM, and what waits for its next start. */
    inCluster(server: SoldServer) {
      const { config, pending, qmp } = vmOf(server)
      const { cores, memory } = config
      const gb = /size=(\d+)G/.exec(config.scsi0 ?? '')?.[1]
      return { cores, memory, gb, qmp, waits: Object.keys(pending).toSorted() }
    },
    credit: ({ user }: SoldServer) => creditOf(t.db, user.id),
    isBalanced: async () => (await statement(t.db)).isBalanced,
    async changes({ tokenId }: SoldServer) {
      const isChange = and(eq(orders.tokenId, tokenId), eq(orders.kind, 'change'))
      return await t.db.select().from(orders).where(isChange).orderBy(desc(orders.id))
    },
    async sold({ tokenId }: SoldServer) {
      const { name, monthlyPriceCents, expiresAt } = await shop.tokenRow(tokenId)
      return { name, price: monthlyPriceCents, end: expiresAt?.getTime() ?? 0 }
    },
    async activity({ id, user }: SoldServer) {
      const list = await t.as(user).call(api.servers.activity, { params: { id } })
      return list.map(({ action }) => action)
    },
  }
}
