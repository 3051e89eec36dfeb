import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '#shared/rules/time/durations.ts'
import { packages } from '../db/schema/sales.ts'
import { instances } from '../db/schema/stock.ts'
import { serverRates, serverTraffic } from '../db/schema/traffic.ts'
import { actorOf, asBegins, broken } from '../provisioning/testing/by-hand.ts'
import { type SoldServer, UBUNTU } from '../provisioning/testing/reinstalls.ts'
import { openSnapshots } from '../provisioning/testing/snapshots.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { createRateSweep } from './rate-sweep.ts'
import { keepRate } from './server-rate.ts'
import { soldWith } from './testing/sold-with.ts'

const GB = 1e9
/** Proxmox counts in MiB/s: 100 Mbit/s, and the ten that a server is slowed to. */
const HUNDRED = '11.9209'
const TEN = '1.1921'

describe.each(BOTH_DATABASES)('the rate of a server, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { hand, shop, ...our } = await openSnapshots(t)
  const sweep = createRateSweep(t.deps)

  afterEach(() => t.sim.faults.clear())

  const rateIn = (server: SoldServer) =>
    /(?:^|,)rate=([^,]+)/.exec(our.vmOf(server).config.net0 ?? '')?.[1]
  const stored = async ({ id }: SoldServer) =>
    (await t.db.select().from(serverRates).where(eq(serverRates.instanceId, id)))[0]
  const writes = (server: SoldServer) =>
    t.sim.requests.filter(
      ({ method, path }) => method !== 'GET' && path.endsWith(`/qemu/${server.vmId}/config`),
    ).length
  const terms = { rateMbit: 100, trafficGb: 1 }
  const sold = async (given: Parameters<typeof soldWith>[2] = terms) => {
    const server = await our.server()
    await soldWith(t, server.tokenId, given)
    await sweep()
    return server
  }
  /** As if so much had passed in this period. */
  const pass = async ({ id }: SoldServer, outBytes: number) => {
    const now = clock.now()
    const values = {
      instanceId: id,
      seenAt: now,
      seenUptime: 10,
      periodFrom: now,
      periodTo: new Date(now.getTime() + DAY_MS),
      outBytes,
    }
    await t.db
      .insert(serverTraffic)
      .values(values)
      .onConflictDoUpdate({ target: serverTraffic.instanceId, set: values })
  }

  test('is that of its package before it starts for the first time', async () => {
    const token = await shop.token()
    const user = await t.make.client()
    const { jobId } = await hand.sales.claim(actorOf(user), token.tokenId, 'purchase')
    await soldWith(t, token.id, { rateMbit: 100 })
    const template = t.sim.state.vms.get(9004)
    const before = template?.config.net0 ?? ''
    if (template) template.config.net0 = `${before},rate=3`
    let atStart: unknown
    await hand.run(
      jobId,
      asBegins('start', async () => {
        const [row] = await shop.instancesOf(token.id)
        atStart = t.sim.state.vms.get(row?.vmId ?? 0)?.config.net0
      }),
    )
    if (template) template.config.net0 = before
    expect(atStart).toMatch(new RegExp(`bridge=vmbr0.*rate=${HUNDRED}`))
  })

  test('is unlimited without a package, whatever its template had', async () => {
    const template = t.sim.state.vms.get(9004)
    const before = template?.config.net0 ?? ''
    if (template) template.config.net0 = `${before},rate=3`
    const server = await our.server()
    if (template) template.config.net0 = before
    expect(rateIn(server)).toBeUndefined()
  })

  test('that an operator set by hand on an unlimited server is left alone', async () => {
    const server = await our.server()
    await t.db.delete(serverRates).where(eq(serverRates.instanceId, server.id))
    our.vmOf(server).config.net0 += ',rate=7'
    await sweep()
    expect(rateIn(server)).toBe('7')
  })

  test('is set once, and keeps every other setting of the card', async () => {
    const server = await our.server()
    const before = our.vmOf(server).config.net0
    await soldWith(t, server.tokenId, { rateMbit: 100 })
    await sweep()
    expect(our.vmOf(server).config.net0).toBe(`${before},rate=${HUNDRED}`)
    const sent = writes(server)
    await sweep()
    await keepRate(t.deps, server.id)
    expect(writes(server)).toBe(sent)
  })

  test('falls when the traffic is used up, and is back in the next period', async () => {
    const server = await sold()
    await pass(server, GB - 1)
    await sweep()
    expect(rateIn(server)).toBe(HUNDRED)
    await pass(server, GB)
    await sweep()
    expect(rateIn(server)).toBe(TEN)
    clock.advance(DAY_MS)
    await sweep()
    expect(rateIn(server)).toBe(HUNDRED)
  })

  test('is back when the quota is raised or taken away', async () => {
    const server = await sold()
    await pass(server, 5 * GB)
    await sweep()
    expect(rateIn(server)).toBe(TEN)
    await soldWith(t, server.tokenId, { trafficGb: 6 })
    await sweep()
    expect(rateIn(server)).toBe(HUNDRED)
    await soldWith(t, server.tokenId, { trafficGb: 0 })
    await sweep()
    expect(rateIn(server)).toBe(TEN)
    await soldWith(t, server.tokenId, { trafficGb: null, rateMbit: null })
    await sweep()
    expect(rateIn(server)).toBeUndefined()
  })

  test('is never cut: the slowest is what the package says, and never faster than before', async () => {
    const server = await sold({ rateMbit: 5, trafficGb: 0, slowMbit: 10 })
    expect(rateIn(server)).toBe('0.596')
    await expect(
      t.deps.hypervisors.of(t.cluster.id).hypervisor.setRate({ vmId: server.vmId }, 0),
    ).rejects.toThrow('A rate is 1 Mbit/s or more.')
    await expect(
      t.db
        .update(packages)
        .set({ rateMbit: 0 })
        .where(eq(packages.id, `plan-${server.tokenId}`)),
    ).rejects.toThrow()
  })

  test('is set when the cluster is back, and by the next sweep if the process ends meanwhile', async () => {
    const server = await sold()
    await pass(server, GB)
    t.sim.faults.add({ kind: 'refuse' })
    await sweep()
    t.sim.faults.clear()
    expect(rateIn(server)).toBe(HUNDRED)
    expect(await stored(server)).toMatchObject({ setAt: null })
    clock.advance(MINUTE_MS)
    await sweep()
    expect(rateIn(server)).toBe(HUNDRED)
    clock.advance(2 * MINUTE_MS)
    await sweep()
    expect(rateIn(server)).toBe(TEN)
    // The process ended after the cluster had done it, and before it was stored.
    await t.db.update(serverRates).set({ setAt: null }).where(eq(serverRates.instanceId, server.id))
    const sent = writes(server)
    await sweep()
    expect(await stored(server)).toMatchObject({ rateMbit: 10, setAt: clock.now() })
    expect(writes(server)).toBe(sent)
  })

  test('does not depend on which of two at once was first', async () => {
    const server = await sold()
    const at = (act: () => Promise<unknown>) => {
      const { hypervisors } = t.deps
      const { hypervisor } = hypervisors.of(t.cluster.id)
      const late = {
        ...hypervisor,
        setRate: async (...args: Parameters<typeof hypervisor.setRate>) => {
          await act()
          await hypervisor.setRate(...args)
        },
      }
      const of = (id: number) => ({ ...hypervisors.of(id), hypervisor: late })
      return { ...t.deps, hypervisors: { ...hypervisors, of } }
    }
    // One that has read the old rate writes after one that has read the new one.
    await keepRate(
      at(async () => {
        await pass(server, GB)
        await keepRate(t.deps, server.id)
      }),
      server.id,
    )
    expect(rateIn(server)).toBe(HUNDRED)
    expect(await stored(server)).toMatchObject({ setAt: null })
    await sweep()
    expect(rateIn(server)).toBe(TEN)
  })

  test('that was changed in Proxmox is set again within a day', async () => {
    const server = await sold()
    const { config } = our.vmOf(server)
    config.net0 = (config.net0 ?? '').replace(/,rate=.*/, '')
    await sweep()
    expect(rateIn(server)).toBeUndefined()
    clock.advance(DAY_MS + 1000)
    await sweep()
    expect(rateIn(server)).toBe(HUNDRED)
  })

  test('is that of the moment when a server starts after a rollback', async () => {
    const server = await sold()
    const snapshot = await our.take(server)
    await pass(server, GB)
    const back = await our.beginBack(server, snapshot.id)
    let atStart: unknown
    await hand.run(
      back,
      asBegins('start', async () => {
        atStart = rateIn(server)
      }),
    )
    expect(atStart).toBe(TEN)
  })

  test('is that of the moment where a rollback is given up with the rate of before', async () => {
    const server = await sold()
    const snapshot = await our.take(server)
    const back = await our.beginBack(server, snapshot.id)
    await hand.run(back, (steps, kind) =>
      asBegins('rollback', async () => {
        await pass(server, GB)
        await keepRate(t.deps, server.id)
      })(broken('rollback')(steps, kind), kind),
    )
    expect(rateIn(server)).toBe(TEN)
  })

  test('is that of the moment when a server starts with another system', async () => {
    const server = await sold()
    await pass(server, GB)
    const { status, body } = await our.ask(server.user, server, { osType: UBUNTU.osType })
    expect(status).toBe(202)
    let atStart: unknown
    await hand.run(
      body.jobId,
      asBegins('start', async () => {
        atStart = rateIn(server)
      }),
    )
    expect(atStart).toBe(TEN)
  })

  test('of a VM that was made in Proxmox is not touched', async () => {
    const server = await sold()
    await t.db.update(instances).set({ marker: null }).where(eq(instances.id, server.id))
    await pass(server, GB)
    await sweep()
    expect(await keepRate(t.deps, server.id)).toEqual({ rateMbit: null })
    expect(rateIn(server)).toBe(HUNDRED)
  })
})
