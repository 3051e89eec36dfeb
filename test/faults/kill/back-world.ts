import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { tokens } from '../../../src/server/db/schema/stock.ts'
import { startsOf } from '../../../src/server/hypervisor/testing/starts-of.ts'
import type { openServerWorld } from './server-world.ts'

/** The address since then; the one before may be another server's by now. */
const ADDRESS = '198.18.77.7'
const BEFORE = 'what was on the disk'

type ServerWorld = Awaited<ReturnType<typeof openServerWorld>>
type Found = Awaited<ReturnType<ServerWorld['look']>>

type Way = {
  /** Where the point in time is kept. */
  list: 'snapshots' | 'backups'
  act: 'rollback' | 'restore'
  body?: object
  /** The token of the server that gets those disks, if it is another one. */
  into?: number
  /** The one point in time there is. */
  kept: () => Promise<{ id: number } | undefined>
  /** It is still there, and ready for the next time. */
  expectKept: (found: Found, where: string) => Promise<void>
}

/** A server that goes back in time, of which all that is sold has changed since. */
export async function openBackWorld(
  world: ServerWorld,
  { list, act, body, into, kept, expectKept }: Way,
) {
  const { sim, askAndDie, recover, close } = world
  const source = await world.look()
  source.vm.guest.os = BEFORE
  const path = `/api/instances/${source.row.id}/${list}`
  await world.askAndWait({ path, body: { name: 'Before' } }, 202)
  const look = () => world.look(into)
  const { row, vm, sold } = await look()
  if (into !== undefined) source.vm.guest.os = 'written since'
  await world.inDatabase(({ db }) =>
    db.update(tokens).set({ ipAddress: ADDRESS }).where(eq(tokens.id, sold.id)),
  )
  vm.config.ipconfig0 = (vm.config.ipconfig0 ?? '').replace(/ip=[^/]+/, `ip=${ADDRESS}`)
  Object.assign(vm.config, { net0: `${vm.config.net0},rate=12`, tags: 'now' })
  const point = await kept()
  if (!point) throw new Error(`there is nothing to go back to in ${list}`)

  const machine = () => {
    const now = sim.state.vms.get(row.vmId)
    if (!now) throw new Error('the VM is gone')
    return now
  }
  /** Everything by which a server could be taken for another, or for one of another time. */
  const soldNow = () => {
    const { name, cores, memory, net0, ipconfig0, tags, ciuser, description, smbios1 } =
      machine().config
    const now = { name, cores, memory, net0, ipconfig0, tags, ciuser, description }
    // With the disk of another server it gets an id of its own.
    return into === undefined ? { ...now, smbios1 } : now
  }
  /** All other machines of the cluster, of this client and of others. */
  const others = () =>
    [...sim.state.vms.values()]
      .filter(({ vmid }) => vmid !== row.vmId)
      .map(({ vmid, node, qmp, config, guest }) => [vmid, node, qmp, { ...config }, guest.os])
  let present = soldNow()
  const around = others()
  let round = 0
  const starts = startsOf(sim, row.vmId, soldNow)

  return {
    recover,
    close,

    /** Goes back on a process that dies at this moment; 0 is never. The moments it reached. */
    actAndDie(at: number): Promise<string[]> {
      round += 1
      machine().guest.os = `written in round ${round}`
      starts.length = 0
      present = soldNow()
      const confirmed = { ...body, confirm: String(row.vmId) }
      return askAndDie({ path: `${path}/${point.id}/${act}`, body: confirmed }, at)
    },

    /** The server runs with what it had before or since, and as it is sold now. */
    async expectWhole(where: string): Promise<'before' | 'after'> {
      const found = await look()
      expect(soldNow(), where).toEqual(present)
      for (const started of starts) expect(started, where).toEqual(present)
      expect(others(), where).toEqual(around)
      expect([found.vm.qmp, found.row.status, found.vm.config.lock], where).toEqual([
        'running',
        'running',
        undefined,
      ])
      expect([BEFORE, `written in round ${round}`], where).toContain(found.vm.guest.os)
      expect(found.vm.guest.booted.password, where).toBe(found.password)
      await expectKept(found, where)
      expect(sim.state.orphans(), where).toEqual([])
      expect([found.open, found.leases], where).toEqual([[], []])
      return found.vm.guest.os === BEFORE ? 'before' : 'after'
    },
  }
}
