import { and, desc, eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { orders, packages } from '../../../src/server/db/schema/sales.ts'
import { tokens } from '../../../src/server/db/schema/stock.ts'
import { creditOf } from '../../../src/server/ledger/credit.ts'
import { statement } from '../../../src/server/ledger/statement.ts'
import { openServerWorld } from './server-world.ts'

const LARGE = { cpu: '4', ram: '4 GB', storage: '60 GB', osOptions: ['Ubuntu 22.04'] }
/** Two that are alike: a server does not get the package it has. */
const PLANS = ['Ebb', 'Flood'].map((name) => ({ ...LARGE, id: name, name, priceCents: 2000 }))

/** A server that gets a larger package again and again, from a client with credit. */
export async function openPackageChangeWorld(given: Record<string, string>, dataDir: string) {
  const world = await openServerWorld(given, dataDir)
  const { sim, look, askAndDie, recover, close } = world
  const { row, vm, sold } = await look()
  const userId = sold.assignedUserId ?? 0
  const { name, monthlyPriceCents } = sold
  const { cores, memory } = vm.config
  const size = { cores: cores ?? '', memory: memory ?? '' }
  await world.inDatabase(({ db }) => db.insert(packages).values(PLANS))
  await world.askAndWait({ path: '/api/client/credit/top-up', body: { amount: '1000.00' } }, 201)
  const credit = () => world.inDatabase(({ db }) => creditOf(db, userId))
  let before = { credit: await credit(), orderId: 0 }

  const changes = () =>
    world.inDatabase(({ db }) => {
      const isChange = and(eq(orders.tokenId, sold.id), eq(orders.kind, 'change'))
      return db.select().from(orders).where(isChange).orderBy(desc(orders.id))
    })

  return {
    recover,
    close,

    /** Changes it on a process that dies at this moment; 0 is never. The moments it reached. */
    async actAndDie(at: number): Promise<string[]> {
      await world.inDatabase(({ db }) =>
        db.update(tokens).set({ name, monthlyPriceCents }).where(eq(tokens.id, sold.id)),
      )
      Object.assign(vm.config, size)
      const made = await changes()
      before = { credit: await credit(), orderId: made[0]?.id ?? 0 }
      const present = made.find(({ status }) => status === 'active')?.planId
      const packageId = PLANS.find(({ id }) => id !== present)?.id
      const path = `/api/instances/${row.id}/package`
      const isReady = `${path}-change?packageId=${packageId}`
      return await askAndDie({ path, body: { packageId, restart: true }, isReady }, at)
    },

    /** Size, price and money are all of before, or all of after. */
    async expectWhole(where: string): Promise<'before' | 'after'> {
      const found = await look()
      const [order] = await changes()
      const isNew = order !== undefined && order.id !== before.orderId
      const isDone = isNew && order.status === 'active'
      const { config, pending, qmp } = found.vm
      expect({ cores: config.cores, memory: config.memory }, where).toEqual(
        isDone ? { cores: '4', memory: '4096' } : size,
      )
      expect([found.sold.name === name, found.sold.monthlyPriceCents], where).toEqual(
        isDone ? [false, 2000] : [true, monthlyPriceCents],
      )
      const cost = isDone ? order.amountCents : 0
      expect(await credit(), where).toBe(before.credit - cost)
      if (isNew) expect(['active', 'cancelled'], where).toContain(order.status)
      expect([qmp, found.row.status, Object.keys(pending)], where).toEqual([
        'running',
        'running',
        [],
      ])
      expect(sim.state.orphans(), where).toEqual([])
      expect([found.open, found.leases], where).toEqual([[], []])
      const { isBalanced } = await world.inDatabase(({ db }) => statement(db))
      expect(isBalanced, where).toBe(true)
      return isDone ? 'after' : 'before'
    },
  }
}
