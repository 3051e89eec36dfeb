import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { hostKeyLooks, hostKeys } from '../../db/schema/ssh-keys.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins } from '../testing/by-hand.ts'
import { openReinstalls, type SoldServer } from '../testing/reinstalls.ts'

describe.each(BOTH_DATABASES)('a new system that is its client’s, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { shop, hand, ...our } = await openReinstalls(t)

  /** The operator's backup of the VM begins right before the old disk is removed. */
  const lockedAtDrop = (server: SoldServer) =>
    asBegins('drop', async () => {
      our.vmOf(server).config.lock = 'backup'
    })
  const waits = async (jobId: string, run: Promise<void>) => {
    await expect(run).rejects.toThrow(RunAgainError)
    const STILL_THERE = 'The new system runs. The disk of the old one is not removed yet.'
    expect(await shop.jobRow(jobId)).toMatchObject({
      state: 'waiting',
      failure: { publicMessage: STILL_THERE },
    })
    expect(our.disks(await serverOf(jobId))).toHaveLength(2)
  }
  const begun = new Map<string, SoldServer>()
  const serverOf = async (jobId: string) => begun.get(jobId) ?? Promise.reject(new Error(jobId))
  const begin = async () => {
    const server = await our.server()
    const { jobId } = (await our.ask(server.user, server)).body
    begun.set(jobId, server)
    return { server, jobId }
  }

  test('loses its old disk once the backup that locks the VM is over', async () => {
    const { server, jobId } = await begin()
    await waits(jobId, hand.run(jobId, lockedAtDrop(server)))
    const pauses = [4, 4, 4, 4, 11 * 60].map((minutes) => minutes * MINUTE_MS)
    for (const pause of pauses) {
      clock.advance(pause)
      await waits(jobId, hand.run(jobId))
    }
    delete our.vmOf(server).config.lock
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    expect(our.disks(server)).toHaveLength(1)
  })

  test('is not called a failure, if its old disk stays locked for half a day', async () => {
    const { server, jobId } = await begin()
    await waits(jobId, hand.run(jobId, lockedAtDrop(server)))
    clock.advance(12 * HOUR_MS)
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done', failure: null })
    expect(our.disks(server)).toHaveLength(2)
    expect(await our.row(server)).toMatchObject({ status: 'running' })
  })

  test('has none of the host keys of the old one', async () => {
    const { server, jobId } = await begin()
    const ofServer = eq(hostKeys.instanceId, server.id)
    const at = clock.now()
    const key = { type: 'ssh-ed25519', fingerprint: 'SHA256:old', publicKey: 'AAAAold' }
    const seen = { seenAt: at, lastSeenAt: at }
    await t.db.insert(hostKeys).values({ instanceId: server.id, ...key, ...seen })
    const stored = () => t.db.select().from(hostKeys).where(ofServer)
    const current = asBegins('commit', async () => {
      clock.advance(MINUTE_MS)
      expect(await stored()).toMatchObject([{ ...key, replacedAt: null }])
    })
    await hand.run(jobId, current)
    expect(await stored()).toMatchObject([{ ...key, replacedAt: clock.now() }])
    expect(await t.db.$count(hostKeyLooks, eq(hostKeyLooks.instanceId, server.id))).toBe(0)
  })
})
