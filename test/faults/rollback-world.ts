import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { tokens } from '../../src/server/db/schema/stock.ts'
import { startsOf } from '../../src/server/hypervisor/testing/starts-of.ts'
import { openServerWorld } from './server-world.ts'

/** The address since the snapshot; the one before may be another server's by now. */
const ADDRESS = '198.18.77.7'
const BEFORE = 'what was on the disk'

/** A server with a snapshot, of which all that is sold has changed since. */
export async function openRollbackWorld(given: Record<string, string>, dataDir: string) {
  const world = await openServerWorld(given, dataDir)
  const { sim, look, askAndDie, recover, close } = world
  const { row, vm, sold } = await look()
  vm.guest.os = BEFORE
  const path = `/api/instances/${row.id}/snapshots`
  await world.askAndWait({ path, body: { name: 'Before' } }, 202)
  await world.inDatabase(({ db }) =>
    db.update(tokens).set({ ipAddress: ADDRESS }).where(eq(tokens.id, sold.id)),
  )
  vm.config.ipconfig0 = (vm.config.ipconfig0 ?? '').replace(/ip=[^/]+/, `ip=${ADDRESS}`)
  Object.assign(vm.config, { net0: `${vm.config.net0},rate=12`, tags: 'now' })
  const [kept] = (await look()).snapshots
  if (!kept) throw new Error('no snapshot was taken')

  /** Everything by which a server could be taken for another, or for one of another time. */
  const soldNow = () => {
    const now = sim.state.vms.get(row.vmId)?.config ?? {}
    const { name, cores, memory, net0, ipconfig0, tags, ciuser, description, smbios1 } = now
    return { name, cores, memory, net0, ipconfig0, tags, ciuser, description, smbios1 }
  }
  let present = soldNow()
  const vms = sim.state.vms.size
  let round = 0

  const starts = startsOf(sim, row.vmId, soldNow)

  return {
    recover,
    close,

    /** Goes back on a process that dies at this moment; 0 is never. The moments it reached. */
    actAndDie(at: number): Promise<string[]> {
      round += 1
      vm.guest.os = `written in round ${round}`
      starts.length = 0
      present = soldNow()
      const body = { confirm: String(row.vmId) }
      return askAndDie({ path: `${path}/${kept.id}/rollback`, body }, at)
    },

    /** The server runs with what it had before or at the snapshot, and as it is sold now. */
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
      expect(found.snapshots, where).toMatchObject([{ id: kept.id, state: 'ready' }])
      expect(found.vm.snapshots, where).toMatchObject([{ name: kept.vmSnapshot }])
      expect(sim.state.orphans(), where).toEqual([])
      expect([found.open, found.leases], where).toEqual([[], []])
      return found.vm.guest.os === BEFORE ? 'before' : 'after'
    },
  }
}
