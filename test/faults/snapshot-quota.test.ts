import { expect, test } from 'vitest'
import { callAs } from '../../src/server/testing/prepare.ts'
import { newDataDir, removeFolder } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { openServerWorld } from './kill/server-world.ts'

const SECRET_KEY = 'a key for presses on two processes'
const PRESSES = 50
const ROUNDS = process.env.LONG === '1' ? 20 : 2
/** What a server without a package of its own may have. */
const QUOTA = 2

test('fifty presses on two processes at once take one snapshot, and never beyond the quota', {
  timeout: 600_000,
}, async () => {
  const env = { DATABASE_URL: await testPostgresUrl(), SECRET_KEY }
  const dataDir = await newDataDir(env)
  const world = await openServerWorld(env, dataDir)
  const { row, vm } = await world.look()
  const path = `/api/instances/${row.id}/snapshots`
  const servers = await Promise.all([world.start(), world.start()])
  const asked = servers.map(({ url }) => callAs(url, world.buyer.cookie))
  const [first] = servers
  const ask = (at: number, ...rest: [path: string, method: string, body?: object]) => {
    const call = asked[at % asked.length]
    if (!call) throw new Error('no process')
    return call(...rest)
  }
  /** How many were begun, once all that was begun is done. */
  const press = async () => {
    const answers = await Promise.all(
      Array.from({ length: PRESSES }, (_, at) => ask(at, path, 'POST', {})),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status !== 202 && status !== 409)).toEqual([])
    await world.untilIdle(first.url)
    return statuses.filter((status) => status === 202).length
  }
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (let taken = 1; taken <= QUOTA; taken += 1) {
        expect(await press()).toBe(1)
        expect(vm.snapshots).toHaveLength(taken)
      }
      expect(await press()).toBe(0)
      const { snapshots } = await world.look()
      expect(vm.snapshots?.map(({ name }) => name)).toEqual(snapshots.map((s) => s.vmSnapshot))
      expect(snapshots).toHaveLength(QUOTA)
      // One delete is one delete, wherever it is pressed.
      for (const { id } of snapshots) {
        const answers = await Promise.all(
          Array.from({ length: PRESSES }, (_, at) => ask(at, `${path}/${id}`, 'DELETE')),
        )
        expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
        await world.untilIdle(first.url)
      }
      expect([vm.snapshots, (await world.look()).snapshots]).toEqual([[], []])
    }
    expect(vm.config.lock).toBeUndefined()
    expect(vm.qmp).toBe('running')
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await world.close()
    removeFolder(dataDir)
  }
})
