import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { clusters } from '../../src/server/db/schema/infrastructure.ts'
import { orders, packages } from '../../src/server/db/schema/sales.ts'
import { backups } from '../../src/server/db/schema/snapshots.ts'
import { tokens } from '../../src/server/db/schema/stock.ts'
import { startsOf } from '../../src/server/hypervisor/testing/starts-of.ts'
import { openServerWorld } from './server-world.ts'

/** The address since the backup; the one before may be another server's by now. */
const ADDRESS = '198.18.77.8'
const BEFORE = 'what was on the disk'

/** A server with a backup, of which all that is sold has changed since. */
export async function openRestoreWorld(given: Record<string, string>, dataDir: string) {
  const world = await openServerWorld(given, dataDir)
  const { sim, look, askAndDie, recover, close } = world
  const { row, vm, sold } = await look()
  await world.inDatabase(async ({ db }) => {
    const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
    const plan = { id: 'kept', name: 'Kept', ...size, priceCents: 500, osOptions: [] }
    await db.insert(packages).values({ ...plan, backupLimit: 2 })
    await db.update(orders).set({ planId: 'kept' }).where(eq(orders.tokenId, sold.id))
    const [cluster] = await db.select().from(clusters)
    const settings = { ...cluster?.settings, backupStorage: 'local' }
    await db.update(clusters).set({ settings })
  })
  vm.guest.os = BEFORE
  const path = `/api/instances/${row.id}/backups`
  await world.askAndWait({ path, body: { name: 'Before' } }, 202)
  await world.inDatabase(({ db }) =>
    db.update(tokens).set({ ipAddress: ADDRESS }).where(eq(tokens.id, sold.id)),
  )
  vm.config.ipconfig0 = (vm.config.ipconfig0 ?? '').replace(/ip=[^/]+/, `ip=${ADDRESS}`)
  Object.assign(vm.config, { tags: 'now' })
  const keptRows = () => world.inDatabase(({ db }) => db.select().from(backups))
  const [kept] = await keptRows()
  if (!kept) throw new Error('no backup was made')

  const machine = () => {
    const now = sim.state.vms.get(row.vmId)
    if (!now) throw new Error('the VM is gone')
    return now
  }
  /** Everything by which a server could be taken for another, or for one of another time. */
  const soldNow = () => {
    const { name, cores, memory, net0, ipconfig0, tags, ciuser, description } = machine().config
    return { name, cores, memory, net0, ipconfig0, tags, ciuser, description }
  }
  let present = soldNow()
  const vms = sim.state.vms.size
  let round = 0

  const starts = startsOf(sim, row.vmId, soldNow)

  return {
    recover,
    close,

    /** Restores on a process that dies at this moment; 0 is never. The moments it reached. */
    actAndDie(at: number): Promise<string[]> {
      round += 1
      machine().guest.os = `written in round ${round}`
      starts.length = 0
      present = soldNow()
      const body = { as: 'same', confirm: String(row.vmId) }
      return askAndDie({ path: `${path}/${kept.id}/restore`, body }, at)
    },

    /** The server runs with what it had before or in the backup, and as it is sold now. */
    async expectWhole(where: string): Promise<'before' | 'after'> {
      const found = await look()
      expect(soldNow(), where).toEqual(present)
      for (const started of starts) expect(started, where).toEqual(present)
      expect(sim.state.vms.size, where).toBe(vms)
      expect([found.vm.qmp, found.row.status, found.vm.config.lock], where).toEqual([
        'running',
        'running',
        undefined,
      ])
      expect([BEFORE, `written in round ${round}`], where).toContain(found.vm.guest.os)
      expect(found.vm.guest.booted.password, where).toBe(found.password)
      expect(await keptRows(), where).toMatchObject([{ id: kept.id, state: 'ready', turn: null }])
      expect(sim.state.orphans(), where).toEqual([])
      expect([found.open, found.leases], where).toEqual([[], []])
      return found.vm.guest.os === BEFORE ? 'before' : 'after'
    },
  }
}
