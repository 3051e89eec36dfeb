import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { serverTraffic, trafficDays } from '../../db/schema/traffic.ts'
import { openReinstalls, type SoldServer } from '../../provisioning/testing/reinstalls.ts'
import { testApp, testClock } from '../../testing/test-app.ts'
import { soldWith } from '../../traffic/testing/sold-with.ts'

const GB = 1e9

describe('the traffic of a server', async () => {
  const clock = testClock()
  const t = await testApp({ sim: true, clock })
  const { shop, ...our } = await openReinstalls(t)
  const params = ({ id }: SoldServer) => ({ params: { id } })
  const dayAgo = (days: number) =>
    new Date(clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10)

  const pass = async ({ id }: SoldServer, inBytes: number, outBytes: number) => {
    const now = clock.now()
    const to = new Date(now.getTime() + DAY_MS)
    const period = { periodFrom: now, periodTo: to }
    const values = { instanceId: id, seenAt: now, seenUptime: 9, ...period, inBytes, outBytes }
    await t.db.insert(serverTraffic).values(values)
    const day = { instanceId: id, day: dayAgo(0), inBytes, outBytes }
    await t.db.insert(trafficDays).values([day, { ...day, day: dayAgo(8) }])
    return period
  }

  test('is nothing at first, in the term that is paid', async () => {
    const server = await our.server()
    const { expiresAt } = await shop.tokenRow(server.tokenId)
    const seen = await t.as(server.user).call(api.network.get, params(server))
    expect(seen).toMatchObject({
      rateMbit: null,
      traffic: {
        inBytes: 0,
        outBytes: 0,
        usedBytes: 0,
        quotaBytes: null,
        level: 0,
        to: expiresAt?.toISOString(),
      },
    })
  })

  test('is told to its owner and to operators, and to nobody else', async () => {
    const server = await our.server()
    await soldWith(t, server.tokenId, { rateMbit: 100, trafficGb: 4, trafficCounts: 'out' })
    const { periodFrom, periodTo } = await pass(server, 9 * GB, 3.5 * GB)
    const traffic = {
      inBytes: 9 * GB,
      outBytes: 3.5 * GB,
      counts: 'out',
      usedBytes: 3.5 * GB,
      quotaBytes: 4 * GB,
      from: periodFrom.toISOString(),
      to: periodTo.toISOString(),
      level: 80,
      slowMbit: 10,
    }
    for (const who of [t.as(server.user), shop.admin]) {
      const seen = await who.call(api.network.get, params(server))
      expect(seen).toMatchObject({ rateMbit: 100, traffic })
      expect((await who.call(api.servers.get, params(server))).traffic).toEqual(traffic)
      const days = await who.call(api.traffic.days, params(server))
      expect(days).toHaveLength(30)
      expect(days.at(-1)).toEqual({ day: dayAgo(0), inBytes: 9 * GB, outBytes: 3.5 * GB })
      // From before it was sold: that was another's.
      expect(days.at(-9)).toEqual({ day: dayAgo(8), inBytes: 0, outBytes: 0 })
    }
    const other = await t.make.client()
    const answer = await t.as(other).attempt(api.traffic.days, params(server))
    expect(answer.status).toBe(404)
  })

  test('that is used up shows the rate it is slowed to', async () => {
    const server = await our.server()
    await soldWith(t, server.tokenId, { rateMbit: 100, trafficGb: 1, slowMbit: 2 })
    await pass(server, GB, GB)
    const seen = await t.as(server.user).call(api.network.get, params(server))
    expect(seen).toMatchObject({ rateMbit: 2, traffic: { level: 100, slowMbit: 2 } })
  })

  test('of all servers is listed for operators, most first', async () => {
    const small = await our.server()
    const large = await our.server()
    await pass(small, GB, 0)
    await pass(large, 0, 70 * GB)
    await soldWith(t, large.tokenId, { trafficGb: 7 })
    const talkers = await shop.admin.call(api.traffic.top, { query: { days: 7 } })
    expect(talkers[0]).toMatchObject({
      id: large.id,
      outBytes: 70 * GB,
      client: { id: large.user.id },
      isSlowed: true,
    })
    const ids = talkers.map(({ id }) => id)
    expect(ids.indexOf(small.id)).toBeGreaterThan(0)
    const month = await shop.admin.call(api.traffic.top, { query: { days: 30 } })
    expect(month.find(({ id }) => id === large.id)?.outBytes).toBe(140 * GB)
    const answer = await t.as(small.user).attempt(api.traffic.top, { query: { days: 7 } })
    expect(answer.status).toBe(403)
  })

  test('of a package is refused where it makes no sense', async () => {
    const body = {
      name: 'Odd',
      cpu: '1 CPU',
      ram: '1 GB RAM',
      storage: '10 GB SSD',
      price: 1,
      rateMbit: 0,
    }
    const answer = await shop.admin.attempt(api.packages.create, { body: body as never })
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: 'Bandwidth must be 1 to 100000 Mbit/s; leave it empty for unlimited',
      },
    })
    const made = await shop.admin.call(api.packages.create, {
      body: { ...body, rateMbit: 50, trafficGb: 0 } as never,
    })
    expect(made).toMatchObject({ rateMbit: 50, trafficGb: 0, trafficCounts: 'both', slowMbit: 10 })
    const unlimited = await shop.admin.call(api.packages.update, {
      params: { id: made.id },
      body: { rateMbit: null },
    })
    expect(unlimited).toMatchObject({ rateMbit: null, trafficGb: 0 })
  })
})
