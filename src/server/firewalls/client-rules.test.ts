import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { firewalls } from '../db/schema/firewalls.ts'
import { asBegins } from '../provisioning/testing/by-hand.ts'
import { openFirewalls, PROTECTED, SSH, WEB } from '../provisioning/testing/firewalls.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES } from '../testing/test-db.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const OUT = { direction: 'out', action: 'ACCEPT' }

describe.each(BOTH_DATABASES)('the rules of a server, on %s', async (database) => {
  const clock = testClock()
  const t = await testApp({ sim: true, database, clock })
  const our = await openFirewalls(t)

  afterEach(() => {
    t.sim.faults.clear()
    t.sim.state.firewallOptions = { enable: 1 }
  })

  test('open neither mail nor forged addresses', async () => {
    const server = await our.withRules([OUT, { direction: 'in', action: 'ACCEPT' }])
    expect(await our.leaving(server)).toEqual(PROTECTED)
    await our.put(server.user, server, [
      { ...OUT, protocol: 'tcp', ports: '25' },
      { ...OUT, destination: '0.0.0.0/0' },
    ])
    expect(await our.leaving(server)).toEqual(PROTECTED)
  })

  test('close what goes out, to where they say', async () => {
    const server = await our.withRules([{ ...OUT, action: 'DROP' }])
    expect(await our.leaving(server)).toEqual({ ...PROTECTED, own: false })
    expect(our.reaches(server, 22)).toBe(true)
  })

  test('are refused where the datacenter firewall is off, and the earlier ones stay', async () => {
    const server = await our.withRules([SSH])
    t.sim.state.firewallOptions = {}
    expect(await our.put(server.user, server, [WEB])).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('The firewall of the datacenter is off') },
    })
    t.sim.state.firewallOptions = { enable: 1 }
    await our.sweep()
    expect(our.reaches(server, 22)).toBe(true)
  })

  test('are refused where the cluster does not allow them', async () => {
    const server = await our.withRules([SSH])
    t.sim.faults.add({ kind: '403', path: '/firewall/', message: 'Permission check failed' })
    expect(await our.put(server.user, server, [WEB])).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('The cluster did not take these rules') },
    })
  })

  test('of a server whose firewall is kept by hand are left to the operator', async () => {
    const server = await our.server()
    await t.db.update(firewalls).set({ isKept: false }).where(eq(firewalls.instanceId, server.id))
    const refusal = expect.stringContaining('kept in Proxmox by hand')
    expect(await our.put(server.user, server, [SSH])).toMatchObject({
      status: 409,
      body: { message: refusal },
    })
    expect(await our.get(server.user, server)).toMatchObject({ refusal })
    expect(our.rulesOf(server)).toEqual(['out DROP 25'])
  })

  test('come back before a server starts after a rollback', async () => {
    const server = await our.withRules([SSH])
    const snapshot = await our.take(server)
    t.sim.state.firewalls?.delete(server.vmId)
    const asStarted: boolean[] = []
    await our.hand.run(
      await our.beginBack(server, snapshot.id),
      asBegins('start', async () => {
        asStarted.push(our.reaches(server, 22), our.reaches(server, 80))
      }),
    )
    expect(asStarted).toEqual([true, false])
  })

  test('that were changed in Proxmox are set again within a day', async () => {
    const server = await our.withRules([SSH])
    our.file(server)?.rules.splice(0)
    expect(our.reaches(server, 80)).toBe(true)
    clock.advance(DAY_MS + SECOND)
    await our.hand.firewallSweep()
    expect(our.reaches(server, 80)).toBe(false)
  })

  test('of a suspended server are not changed, and end if they were on trial', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [WEB])
    await our.shop.admin.call(api.instances.suspend, {
      params: { id: server.id },
      body: { reason: 'You send spam.' },
    })
    const refused = { status: 409, body: { message: 'This server is suspended: You send spam.' } }
    expect(await our.confirm(server.user, server)).toMatchObject(refused)
    expect(await our.put(server.user, server, [])).toMatchObject(refused)
    clock.advance(MINUTE)
    await our.sweep()
    expect(our.rulesOf(server)).toContain('in ACCEPT 22')
  })

  test('of a server that is gone are forgotten', async () => {
    const server = await our.withRules([SSH])
    await our.put(server.user, server, [WEB])
    await t.deps.hypervisors.of(t.cluster.id).hypervisor.destroy({
      vmId: server.vmId,
      marker: (await our.serverRow(server)).marker ?? '',
    })
    clock.advance(MINUTE)
    await our.sweep()
    expect((await our.row(server)).trial).toBeNull()
    expect(our.file(server)).toBeUndefined()
  })
})
