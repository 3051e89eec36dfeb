import { afterEach, describe, expect, test } from 'vitest'
import type { FaultKind } from '#pve-sim/faults/fault-board.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { RunAgainError } from '../../jobs/job-runner.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { asBegins } from '../testing/by-hand.ts'
import { openSilence } from '../testing/silence.ts'

/** What a cluster can do for longer than a new server has to answer. */
const FAULTS: FaultKind[] = ['refuse', 'reset', 'html-500', '595', '429']
const STEPS = ['start', 'proof', 'assign']
const CASES = FAULTS.flatMap((kind) => STEPS.map((step) => [kind, step] as const))

describe.each(BOTH_DATABASES)('a cluster that fails from a step on, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const world = await openSilence(t, clock)
  const { hand, shop, buy, pass } = world

  const heal = async () => {
    t.sim.faults.clear()
    await t.deps.hypervisors.of(t.cluster.id).inventory.refresh()
  }
  afterEach(heal)

  test.each(CASES)(
    '%s from %s on: the money is earned with the proof, or back within a minute of the deadline',
    async (kind, step) => {
      const sale = await buy()
      const away = asBegins(step, async () => {
        t.sim.faults.add({ kind })
        if (step === 'proof') await pass(10 * MINUTE_MS)
      })
      // The undo waits for the cluster; the money does not.
      await hand.run(sale.jobId, away).catch((error: unknown) => {
        expect(error).toBeInstanceOf(RunAgainError)
      })
      await pass(MINUTE_MS)
      await hand.silence()
      if (step === 'proof') await world.expectReturned(sale)
      await heal()
      await hand.runToEnd(sale.jobId)
      if (step === 'proof') await world.expectRemoved(sale)
      else await world.expectDelivered(sale)
    },
  )

  test('a cluster that comes back in time changes nothing for the client', async () => {
    const sale = await buy()
    const away = asBegins('proof', () => Promise.reject(new Error('the process died')))
    await expect(hand.run(sale.jobId, away)).rejects.toThrow(RunAgainError)
    t.sim.faults.add({ kind: 'refuse' })
    await pass(9 * MINUTE_MS)
    await hand.silence()
    await heal()
    await hand.runToEnd(sale.jobId)
    await world.expectDelivered(sale)
    expect(await shop.jobRow(sale.jobId)).toMatchObject({ state: 'done' })
  })
})
