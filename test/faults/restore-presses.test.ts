import { expect, test } from 'vitest'
import { callAs } from '../../src/server/testing/prepare.ts'
import { newDataDir, removeFolder } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { openBackupWorld } from './kill/restore-world.ts'

const SECRET_KEY = 'a key for restores on two processes'
const PRESSES = 50
const ROUNDS = process.env.LONG === '1' ? 20 : 2

/** Refused by what is under way, or because the database has no connection left for it. */
const isRefusal = (status: number, message: string) =>
  status === 409 || (status === 503 && message.startsWith('Too many people ask at once.'))

/** Two servers of one client, each with a backup. */
async function openPair(env: Record<string, string>, dataDir: string) {
  const world = await openBackupWorld(env, dataDir)
  const second = await world.buyAnother('198.18.0.200')
  await world.grantBackups(second)
  const pair = [await world.look(), await world.look(second)] as const
  for (const [at, { row, vm }] of pair.entries()) {
    vm.guest.os = `in backup ${at}`
    await world.askAndWait({ path: `/api/instances/${row.id}/backups`, body: {} }, 202)
    vm.guest.os = `on server ${at}`
  }
  const rows = await world.rows()
  const backups = pair.map(({ row }) => rows.find(({ instanceId }) => instanceId === row.id)?.id)
  return { world, pair, backups, second }
}

test('of fifty presses on two processes no two restores hold one server', {
  timeout: 600_000,
}, async () => {
  const env = { DATABASE_URL: await testPostgresUrl(), SECRET_KEY }
  const dataDir = await newDataDir(env)
  const { world, pair, backups, second } = await openPair(env, dataDir)
  const archives = world.archives()
  const vms = world.sim.state.vms.size
  const servers = await Promise.all([world.start(), world.start()])
  const callers = servers.map(({ url }) => callAs(url, world.buyer.cookie))

  /** Each server's backup onto itself and onto the other one; the servers that the restore holds. */
  const press = async (at: number) => {
    const [from, to] = at % 2 === 0 ? [0, 1] : [1, 0]
    const [source, target] = [pair[from], pair[to]]
    const call = callers[at % 3 === 0 ? 0 : 1]
    if (!source || !target || !call) throw new Error('there is no pair of servers')
    const path = `/api/instances/${source.row.id}/backups`
    const restore = `${path}/${backups[from]}/restore`
    const own = { as: 'same', confirm: String(source.row.vmId) }
    const other = { as: 'new', into: target.row.id, confirm: String(target.row.vmId) }
    const isOwn = at % 5 === 0
    const reply = await call(restore, 'POST', isOwn ? own : other)
    const { status } = reply
    const { message = '' } = (await reply.json()) as { message?: string }
    return { status, message, holds: isOwn ? [source.row.id] : [source.row.id, target.row.id] }
  }

  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const presses = await Promise.all(Array.from({ length: PRESSES }, (_, at) => press(at)))
      expect(
        presses.filter(({ status, message }) => status !== 202 && !isRefusal(status, message)),
      ).toEqual([])
      const held = presses.flatMap(({ status, holds }) => (status === 202 ? holds : []))
      expect(held.length).toBeGreaterThan(0)
      expect(new Set(held).size).toBe(held.length)
      await world.untilIdle(servers[0].url)
      for (const { row, vm } of [await world.look(), await world.look(second)]) {
        expect([row.status, vm.qmp, vm.config.lock]).toEqual(['running', 'running', undefined])
      }
      const disks = pair.map(({ row }) => world.sim.state.vms.get(row.vmId)?.guest.os)
      expect(disks.filter((os) => os?.startsWith('in backup')).length).toBeGreaterThan(0)
    }
    expect(world.archives()).toEqual(archives)
    expect([world.sim.state.vms.size, world.sim.state.orphans()]).toEqual([vms, []])
    expect(await world.rows()).toMatchObject([{ state: 'ready' }, { state: 'ready' }])
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await world.close()
    removeFolder(dataDir)
  }
})
