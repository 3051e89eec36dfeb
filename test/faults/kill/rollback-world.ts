import { expect } from 'vitest'
import { openBackWorld } from './back-world.ts'
import { openServerWorld } from './server-world.ts'

/** A server with a snapshot that it goes back to. */
export async function openRollbackWorld(given: Record<string, string>, dataDir: string) {
  const world = await openServerWorld(given, dataDir)
  return await openBackWorld(world, {
    list: 'snapshots',
    act: 'rollback',
    kept: async () => (await world.look()).snapshots[0],
    expectKept: async ({ snapshots, vm }, where) => {
      const [only, ...others] = snapshots
      expect([only?.state, others], where).toEqual(['ready', []])
      expect(vm.snapshots, where).toMatchObject([{ name: only?.vmSnapshot }])
    },
  })
}
