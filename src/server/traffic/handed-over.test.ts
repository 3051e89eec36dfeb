import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { serverTraffic, trafficDays } from '../db/schema/traffic.ts'
import { openHandovers } from '../provisioning/testing/handovers.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { daysOfServer } from './traffic-views.ts'

describe.each(BOTH_DATABASES)(
  'the traffic of a server that is handed over, on %s',
  async (database) => {
    const clock = testClock()
    const t = await testApp({ sim: true, database, clock })
    const our = await openHandovers(t)

    const today = () => clock.now().toISOString().slice(0, 10)
    const passed = { inBytes: 3e9, outBytes: 5e9 }
    const passOn = (instanceId: number) =>
      t.db.insert(trafficDays).values({ instanceId, day: today(), ...passed })

    test('is shown to each owner from its own first day on, and to operators from the sale on', async () => {
      const server = await our.server()
      const { id } = server
      const params = { id }
      const now = clock.now()
      const period = { periodFrom: now, periodTo: new Date(now.getTime() + 30 * DAY_MS) }
      const seen = { instanceId: id, seenAt: now, seenUptime: 9 }
      await t.db.insert(serverTraffic).values({ ...seen, ...period, ...passed })
      const sold = today()
      await passOn(id)
      clock.advance(2 * DAY_MS)
      const first = await t.make.client()
      const { body } = await our.take(first, await our.codeFor(server))
      await our.hand.run(body.jobId)
      const givenFirst = today()
      await passOn(id)
      clock.advance(2 * DAY_MS)
      const second = await t.make.client()
      const again = await our.take(second, await our.codeFor({ ...server, user: first }))
      await our.hand.run(again.body.jobId)
      const givenAgain = today()
      await passOn(id)

      const daysWith = (days: { day: string; inBytes: number }[]) =>
        days.filter(({ inBytes }) => inBytes > 0).map(({ day }) => day)
      const theirs = await t.as(second).call(api.traffic.days, { params })
      expect(theirs).toHaveLength(30)
      expect(daysWith(theirs)).toEqual([givenAgain])
      const all = await daysOfServer(t.db, id, clock.now(), { isOperator: true })
      expect(daysWith(all)).toEqual([sold, givenFirst, givenAgain])
      // The server's quota is used up by all its owners.
      expect(await t.as(second).call(api.network.get, { params })).toMatchObject({
        traffic: passed,
      })
    })
  },
)
