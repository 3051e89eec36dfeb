import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { actorOf, byHand } from './testing/by-hand.ts'
import { openShop } from './testing/shop.ts'

const DAY = 86_400_000

describe.each(BOTH_DATABASES)('a renewal at the moment of the end, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, clock, database })
  const shop = await openShop(t)
  const hand = byHand(t)

  /** A removal needs an end that was recorded for the whole grace. Its job has not run yet. */
  const untilRemovalIsOrdered = async () => {
    clock.advance(31 * DAY)
    await hand.sweep()
    await hand.runAll()
    clock.advance(8 * DAY)
    await hand.sweep()
  }
  const bought = async () => {
    const buyer = actorOf(await t.make.client())
    const { id, tokenId } = await shop.token()
    await hand.runToEnd((await hand.sales.claim(buyer, tokenId, 'purchase')).jobId)
    const vmId = (await shop.tokenRow(id)).proxmoxVmId ?? 0
    return { buyer, id, vmId }
  }

  test('before the removal runs saves the server', async () => {
    const { buyer, id, vmId } = await bought()
    await untilRemovalIsOrdered()
    await hand.renewals.renew(buyer, id)
    await hand.runAll()
    expect((await shop.tokenRow(id)).status).toBe('assigned')
    expect(t.sim.state.vms.get(vmId)?.qmp).toBe('running')
  })

  test('after the removal ran is refused', async () => {
    const { buyer, id, vmId } = await bought()
    await untilRemovalIsOrdered()
    await hand.runAll()
    await expect(hand.renewals.renew(buyer, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await shop.tokenRow(id)).status).toBe('cancelled')
    expect(t.sim.state.vms.has(vmId)).toBe(false)
  })

  // With growing delays, so that each side comes first in some rounds.
  test.each([0, 2, 5, 10, 20, 40])(
    'delayed by %i ms either saves the server or is refused',
    async (ms) => {
      const { buyer, id, vmId } = await bought()
      await untilRemovalIsOrdered()
      const [renewed] = await Promise.allSettled([
        delay(ms).then(() => hand.renewals.renew(buyer, id)),
        hand.runAll(),
      ])
      await hand.sweep()
      await hand.runAll()
      const isKept = renewed.status === 'fulfilled'
      expect((await shop.tokenRow(id)).status).toBe(isKept ? 'assigned' : 'cancelled')
      expect(t.sim.state.vms.has(vmId)).toBe(isKept)
      if (isKept) expect(t.sim.state.vms.get(vmId)?.qmp).toBe('running')
    },
  )
})
