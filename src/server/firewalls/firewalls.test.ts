import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#shared/rules/time/durations.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { tokens } from '../db/schema/stock.ts'
import { actorOf, asBegins } from '../provisioning/testing/by-hand.ts'
import { openFirewalls, PROTECTED } from '../provisioning/testing/firewalls.ts'
import type { SoldServer } from '../provisioning/testing/reinstalls.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'
import { createFirewallSweep } from './firewall-sweep.ts'
import { setFirewall } from './server-firewall.ts'

describe.each(BOTH_DATABASES)('the firewall of a server, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const { hand, shop, row, file, leaving, ...our } = await openFirewalls(t)
  const sweep = createFirewallSweep(t.deps)

  afterEach(() => {
    t.sim.faults.clear()
    t.sim.state.firewallOptions = { enable: 1 }
  })

  test('holds before it starts for the first time', async () => {
    // The template's firewall, which a clone starts with.
    t.sim.state.firewalls ??= new Map()
    t.sim.state.firewalls.set(9004, {
      options: { enable: 1, policy_in: 'DROP', dhcp: 1 },
      ipsets: { 'ipfilter-net0': { entries: [{ cidr: '203.0.113.0/24' }] } },
      rules: [{ type: 'out', action: 'DROP', enable: 1, comment: 'left' }],
    })
    const token = await shop.token()
    const user = await t.make.client()
    const { jobId } = await hand.sales.claim(actorOf(user), token.tokenId, 'purchase')
    const made = async (): Promise<SoldServer> => {
      const [instance] = await shop.instancesOf(token.id)
      const { id = 0, vmId = 0 } = instance ?? {}
      return { id, vmId, user, tokenId: token.id, name: token.name }
    }
    let asStarted: unknown
    await hand.run(
      jobId,
      asBegins('start', async () => {
        asStarted = await leaving(await made())
      }),
    )
    t.sim.state.firewalls.delete(9004)
    const server = await made()
    expect(asStarted).toEqual(PROTECTED)
    expect(file(server)?.rules.map(({ comment }) => comment)).toEqual(['mail is closed'])
    expect(await row(server)).toMatchObject({ isKept: true, faults: [], checkedAt: clock.now() })
  })

  test('that the datacenter has switched off does not stop a sale, and is listed', async () => {
    t.sim.state.firewallOptions = {}
    const server = await our.server()
    expect(await row(server)).toMatchObject({ isKept: true, faults: ['datacenter-off'] })
    t.sim.state.firewallOptions = { enable: 1 }
    expect(await leaving(server)).toEqual(PROTECTED)
    await sweep()
    expect((await row(server)).faults).toEqual(['datacenter-off'])
    clock.advance(HOUR_MS + 1000)
    await sweep()
    expect((await row(server)).faults).toEqual([])
  })

  test('that the account may not set does not stop a sale, and is listed', async () => {
    t.sim.faults.add({ kind: '403', path: '/firewall/', message: 'Permission check failed' })
    const server = await our.server()
    expect(await row(server)).toMatchObject({ faults: ['refused'] })
  })

  test('that was changed in Proxmox is set again within a day', async () => {
    const server = await our.server()
    const { options } = file(server) ?? {}
    if (options) options.enable = 0
    expect((await leaving(server)).forged).toBe(true)
    clock.advance(DAY_MS + 1000)
    await sweep()
    expect(await leaving(server)).toEqual(PROTECTED)
  })

  test('of an older server is looked at, and set only when an operator says so', async () => {
    const server = await our.server()
    t.sim.state.firewalls?.delete(server.vmId)
    await t.db.delete(firewalls).where(eq(firewalls.instanceId, server.id))
    await sweep()
    expect(await row(server)).toMatchObject({ isKept: false, faults: ['differs'] })
    expect(file(server)).toBeUndefined()
    expect(await setFirewall(t.deps, server.id)).toEqual([])
    expect(await leaving(server)).toEqual(PROTECTED)
    expect(await row(server)).toMatchObject({ isKept: true, faults: [] })
  })

  test('lets mail out where an operator has opened it', async () => {
    const server = await our.server()
    await t.db
      .update(firewalls)
      .set({ isMailOpen: true })
      .where(eq(firewalls.instanceId, server.id))
    await setFirewall(t.deps, server.id)
    expect(await leaving(server)).toEqual({ ...PROTECTED, mail: true })
  })

  test('follows an address that changed', async () => {
    const server = await our.server()
    await t.db
      .update(tokens)
      .set({ ipAddress: '203.0.113.253' })
      .where(eq(tokens.id, server.tokenId))
    expect((await leaving(server)).own).toBe(false)
    clock.advance(DAY_MS + 1000)
    await sweep()
    expect(await leaving(server)).toEqual(PROTECTED)
  })

  test('holds before a server starts after a rollback', async () => {
    const server = await our.server()
    const snapshot = await our.take(server)
    t.sim.state.firewalls?.delete(server.vmId)
    let asStarted: unknown
    const back = await our.beginBack(server, snapshot.id)
    await hand.run(
      back,
      asBegins('start', async () => {
        asStarted = await leaving(server)
      }),
    )
    expect(asStarted).toEqual(PROTECTED)
  })

  test('of a cluster that is away is looked at later, and that of others now', async () => {
    const server = await our.server()
    clock.advance(DAY_MS + 1000)
    const before = (await row(server)).checkedAt
    t.sim.faults.add({ kind: 'refuse' })
    await sweep()
    expect((await row(server)).checkedAt).toEqual(before)
    t.sim.faults.clear()
  })

  test('goes with the server', async () => {
    const server = await our.server()
    expect(file(server)).toBeDefined()
    await t.deps.hypervisors
      .of(t.cluster.id)
      .hypervisor.destroy({ vmId: server.vmId, marker: (await our.serverRow(server)).marker ?? '' })
    expect(file(server)).toBeUndefined()
  })
})
