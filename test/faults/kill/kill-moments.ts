import { describe, expect, test } from 'vitest'
import { newDataDir, removeFolder } from '../../../src/server/testing/server-process.ts'
import { testPostgresUrl } from '../../../src/server/testing/test-db.ts'

const SECRET_KEY = 'a key for processes that are killed'
const LIMIT = { timeout: 3_600_000 }
/** In the long run every moment on both databases, else a spread of them on PostgreSQL. */
export const IS_LONG = process.env.LONG === '1'

type Env = Record<string, string>

const DATABASES: [string, () => Promise<Env>][] = [
  ['postgres', async () => ({ DATABASE_URL: await testPostgresUrl(), SECRET_KEY })],
  ['embedded', async () => ({ SECRET_KEY })],
]
export const KILL_DATABASES = IS_LONG ? DATABASES : DATABASES.slice(0, 1)

/** The moments from 1 to `most` that this run tries. */
export const momentsOf = (most: number, isTried: (moment: number) => boolean): number[] =>
  Array.from({ length: most }, (_, index) => index + 1).filter(
    (moment) => IS_LONG || isTried(moment),
  )

/** Works in a world on a database of its own, which is gone afterwards. */
export async function inWorld<World extends { close(): Promise<unknown> }>(
  environment: () => Promise<Env>,
  open: (env: Env, dataDir: string) => Promise<World>,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const env = await environment()
  const dataDir = await newDataDir(env)
  const world = await open(env, dataDir)
  try {
    await work(world)
  } finally {
    await world.close()
    removeFolder(dataDir)
  }
}

/** A server on which the same act is done, and killed, again and again. */
type KillWorld = {
  /** Does the act, and kills the process at this moment of it (0: never). Which moments it reached. */
  actAndDie(moment: number): Promise<string[]>
  /** Starts the process again and waits until it has ended what was begun. */
  recover(): Promise<unknown>
  /** Fails unless everything is in order. How the act ended. */
  expectWhole(where: string): Promise<string>
  close(): Promise<unknown>
}

type KilledAct = {
  /** Such as "a reinstallation". */
  name: string
  /** What is left, whenever it was killed. */
  leaves: string
  open(env: Env, dataDir: string): Promise<KillWorld>
  /** What `expectWhole` answers if the process is never killed. */
  end: string
  /** How often the cluster is polled for a task varies: there are at most this many moments. */
  most: number
  /** Of so many moments one is tried in the short run. */
  every: number
  /** So many servers at once, each with a part of the moments. */
  worlds: number
}

/** Kills a process at each commit and call of an act, and starts it again. */
export function killAtEveryMoment({ name, leaves, open, end, most, every, worlds }: KilledAct) {
  const moments = momentsOf(most, (moment) => moment % every === 2)
  const slices = Array.from({ length: worlds }, (_, world) =>
    moments.filter((_moment, index) => index % worlds === world),
  )

  describe.each(KILL_DATABASES)(`${name} on %s`, (_, environment) => {
    test.concurrent('has more than forty moments at which it can be killed', LIMIT, () =>
      inWorld(environment, open, async (world) => {
        const reached = await world.actAndDie(0)
        expect(await world.expectWhole('never killed')).toBe(end)
        expect(reached.length).toBeGreaterThanOrEqual(40)
        expect(reached.length).toBeLessThanOrEqual(most)
      }),
    )

    test.concurrent.each(slices.map((slice) => [slice.join(', '), slice] as const))(
      `killed at moment %s leaves ${leaves}`,
      LIMIT,
      (_name, slice) =>
        inWorld(environment, open, async (world) => {
          for (const moment of slice) {
            const reached = await world.actAndDie(moment)
            await world.recover()
            const where = `moment ${moment}: ${reached.at(-1)}`
            const is = await world.expectWhole(where)
            if (IS_LONG) process.stdout.write(`${where}: ${is}\n`)
            // From then on there is nothing left to kill.
            if (reached.length < moment) break
          }
        }),
    )
  })
}
