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

  // With growing delays, so that each side comes first in some rounds.
  test.each([0, 2, 5, 10, 20, 40])(
    'delayed by %i ms either saves the server or is refused',
    async (ms) => {
      const buyer = actorOf(await t.make.client())
      const { id, tokenId } = await shop.token()
      await hand.runToEnd((await hand.sales.claim(buyer, tokenId, 'purchase')).jobId)
      const vmId = (await shop.tokenRow(id)).proxmoxVmId ?? 0
      clock.advance(37 * DAY)
      await hand.sweep()
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
