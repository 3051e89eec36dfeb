import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { FirewallFault } from '#shared/rules/network/firewall-faults.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { instances } from '../../db/schema/stock.ts'
import { openReinstalls, type SoldServer } from '../../provisioning/testing/reinstalls.ts'
import { testApp } from '../../testing/test-app.ts'

describe('the network of a server', async () => {
  const t = await testApp({ sim: true })
  const { shop, ...our } = await openReinstalls(t)

  afterEach(() => {
    t.sim.faults.clear()
    t.sim.state.firewallOptions = { enable: 1 }
  })

  const params = ({ id }: SoldServer) => ({ params: { id } })
  const rules = ({ vmId }: SoldServer) =>
    t.sim.state.firewalls?.get(vmId)?.rules.map(({ dport }) => dport)
  const forget = async ({ id, vmId }: SoldServer) => {
    t.sim.state.firewalls?.delete(vmId)
    await t.db.delete(firewalls).where(eq(firewalls.instanceId, id))
  }

  test('is shown to its owner and to operators, and to nobody else', async () => {
    const server = await our.server()
    const { ipAddress } = await shop.tokenRow(server.tokenId)
    const seen = {
      addresses: [{ address: ipAddress, family: 4 }],
      antiSpoof: { ok: true, why: null },
      isMailOpen: false,
    }
    expect(await t.as(server.user).call(api.network.get, params(server))).toMatchObject(seen)
    expect(await shop.admin.call(api.network.get, params(server))).toMatchObject(seen)
    const other = await t.make.client()
    const answer = await t.as(other).attempt(api.network.get, params(server))
    expect(answer.status).toBe(404)
  })

  test('whose filter does not hold says why to operators, and that to its owner', async () => {
    t.sim.state.firewallOptions = {}
    const server = await our.server()
    const toOwner = await t.as(server.user).call(api.network.get, params(server))
    expect(toOwner.antiSpoof).toEqual({
      ok: false,
      why: 'The filter is not in force. The operator is told.',
    })
    const { antiSpoof } = await shop.admin.call(api.network.get, params(server))
    expect(antiSpoof).toMatchObject({
      ok: false,
      why: expect.stringContaining('The datacenter firewall is off.'),
    })
  })

  test('lets mail out when an operator opens it, until it is closed', async () => {
    const server = await our.server()
    const set = (isOpen: boolean) =>
      shop.admin.call(api.network.setMail, { ...params(server), body: { isOpen } })
    expect(await set(true)).toMatchObject({ isMailOpen: true })
    expect(rules(server)).toEqual([])
    expect(await set(false)).toMatchObject({ isMailOpen: false })
    expect(rules(server)).toEqual(['25'])
    const entries = await t.as(server.user).call(api.servers.activity, {
      ...params(server),
      query: {},
    })
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['instance.mail-opened', 'instance.mail-closed']),
    )
  })

  test.each([
    ['does not answer', 'refuse', 503],
    ['does not allow it', '403', 409],
  ] as const)('keeps mail closed if the cluster %s', async (_, kind, status) => {
    const server = await our.server()
    t.sim.faults.add({ kind, ...(kind === '403' ? { path: '/firewall/' } : {}) })
    const answer = await shop.admin.attempt(api.network.setMail, {
      ...params(server),
      body: { isOpen: true },
    })
    t.sim.faults.clear()
    expect(answer.status).toBe(status)
    expect(await shop.admin.call(api.network.get, params(server))).toMatchObject({
      isMailOpen: false,
    })
    expect(rules(server)).toEqual(['25'])
  })

  test('is opened by nobody but an operator', async () => {
    const server = await our.server()
    const answer = await t
      .as(server.user)
      .attempt(api.network.setMail, { ...params(server), body: { isOpen: true } })
    expect(answer.status).toBe(403)
  })

  test('of older servers is listed, and set at one press', async () => {
    const servers = [await our.server(), await our.server()]
    for (const server of servers) await forget(server)
    const mine = async () => {
      const { unprotected } = await shop.admin.call(api.protection.get, { query: { limit: 200 } })
      return unprotected.filter(({ id }) => servers.some((server) => server.id === id))
    }
    expect(await mine()).toMatchObject([
      { faults: ['unchecked'], isToBeSet: true },
      { faults: ['unchecked'], isToBeSet: true },
    ])
    expect((await shop.admin.call(api.protection.set)).servers).toBeGreaterThanOrEqual(2)
    expect((await shop.admin.call(api.protection.set)).servers).toBe(0)
    await t.deps.background.idle()
    expect(await mine()).toEqual([])
    for (const server of servers) expect(rules(server)).toEqual(['25'])
  })

  test('of many servers is listed by pages, and counted by reason', async () => {
    const servers = [await our.server(), await our.server(), await our.server()]
    for (const [at, server] of servers.entries()) {
      const faults: FirewallFault[] = at === 0 ? ['differs', 'frames-unfiltered'] : ['differs']
      await t.db.update(firewalls).set({ faults }).where(eq(firewalls.instanceId, server.id))
    }
    const page = (query: { limit: number; after?: number }) =>
      shop.admin.call(api.protection.get, { query: { fault: 'differs' as const, ...query } })
    const first = await page({ limit: 2 })
    expect(first.unprotected.map(({ id }) => id)).toEqual([servers[0]?.id, servers[1]?.id])
    expect(first.next).toBe(servers[1]?.id)
    expect(first.faults).toEqual(
      expect.arrayContaining([
        { fault: 'differs', servers: 3 },
        { fault: 'frames-unfiltered', servers: 1 },
      ]),
    )
    expect(first.total).toBeGreaterThanOrEqual(3)
    expect(first.protected).toBeGreaterThan(0)
    const last = await page({ limit: 2, after: first.next ?? 0 })
    expect(last.unprotected.map(({ id }) => id)).toEqual([servers[2]?.id])
    expect(last.next).toBeNull()
    expect((await page({ limit: 3 })).next).toBeNull()
    const none = await shop.admin.attempt(api.protection.get, { query: { limit: 201 } })
    expect(none.status).toBe(400)
  })

  test('of a VM that was made in Proxmox is listed, and left alone', async () => {
    const vm = await shop.vm(100)
    const owner = await t.make.client()
    await t.db.update(instances).set({ ownerId: owner.id }).where(eq(instances.id, vm.id))
    await shop.admin.call(api.protection.set)
    await t.deps.background.idle()
    const { unprotected } = await shop.admin.call(api.protection.get, {
      query: { fault: 'not-ours' },
    })
    expect(unprotected.find(({ id }) => id === vm.id)).toMatchObject({
      faults: ['not-ours'],
      isToBeSet: false,
    })
    expect(t.sim.state.firewalls?.has(100)).toBe(false)
  })
})
