import { describe, expect, test } from 'vitest'
import { newDataDir, removeFolder } from '../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../src/server/testing/test-db.ts'
import { openReinstallWorld, type ReinstallWorld } from './reinstall-world.ts'

const SECRET_KEY = 'a key for killed reinstallations'
/** How often the cluster is polled for a task varies: there are at most this many moments. */
const MOST = 170
const LIMIT = { timeout: 3_600_000 }
/** In the long run every moment on both databases, else a spread of them on PostgreSQL. */
const IS_LONG = process.env.LONG === '1'
const MOMENTS = Array.from({ length: MOST }, (_, index) => index + 1).filter(
  (moment) => IS_LONG || moment % 19 === 2,
)
/** Each is one server that is reinstalled again and again. */
const WORLDS = 3
const SLICES = Array.from({ length: WORLDS }, (_, world) =>
  MOMENTS.filter((_moment, index) => index % WORLDS === world),
)

const databases: [string, () => Promise<Record<string, string>>][] = [
  ['postgres', async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY })],
  ['embedded', async () => ({ SECRET_KEY })],
]

async function inWorld(
  environment: (typeof databases)[number][1],
  work: (world: ReinstallWorld) => Promise<void>,
): Promise<void> {
  const env = await environment()
  const dataDir = await newDataDir(env)
  const world = await openReinstallWorld(env, dataDir)
  try {
    await work(world)
  } finally {
    await world.close()
    removeFolder(dataDir)
  }
}

describe.each(IS_LONG ? databases : databases.slice(0, 1))(
  'a reinstallation on %s',
  (_, environment) => {
    test.concurrent('has more than forty moments at which it can be killed', LIMIT, () =>
      inWorld(environment, async (world) => {
        const moments = await world.reinstallAndDie(0)
        expect(await world.expectWhole('never killed')).toBe('new')
        expect(moments.length).toBeGreaterThanOrEqual(40)
        expect(moments.length).toBeLessThanOrEqual(MOST)
      }),
    )

    test.concurrent.each(SLICES.map((slice) => [slice.join(', '), slice] as const))(
      'killed at moment %s leaves an old or a new system that runs',
      LIMIT,
      (_name, slice) =>
        inWorld(environment, async (world) => {
          for (const moment of slice) {
            const reached = await world.reinstallAndDie(moment)
            await world.recover()
            const where = `moment ${moment}: ${reached.at(-1)}`
            const is = await world.expectWhole(where)
            if (IS_LONG) process.stdout.write(`${where}: ${is}\n`)
            // From then on there is nothing left to kill.
            if (reached.length < moment) break
          }
        }),
    )
  },
)
