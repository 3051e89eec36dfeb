import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { orders, packages } from '../../db/schema/sales.ts'
import { tokens } from '../../db/schema/stock.ts'
import { inFirewallTurn } from '../../firewalls/server-firewall.ts'
import { actorOf } from '../../provisioning/testing/by-hand.ts'
import { openFirewalls, PROTECTED, SSH, WEB } from '../../provisioning/testing/firewalls.ts'
import type { SoldServer } from '../../provisioning/testing/reinstalls.ts'
import { testApp, testClock } from '../../testing/test-app.ts'

describe('the firewall of a server', async () => {
  const clock = testClock()
  const t = await testApp({ sim: true, clock })
  const our = await openFirewalls(t)
  const params = ({ id }: SoldServer) => ({ params: { id } })

  test('is of its owner and of operators, and of nobody else', async () => {
    const server = await our.server()
    const stranger = await t.make.client()
    expect((await our.put(stranger, server, [SSH])).status).toBe(404)
    expect((await our.confirm(stranger, server)).status).toBe(404)
    expect((await t.as(stranger).attempt(api.firewall.get, params(server))).status).toBe(404)
    expect((await t.visitor.attempt(api.firewall.get, params(server))).status).toBe(401)
    expect((await our.row(server)).version).toBe(0)
    // Nor does a stranger wait for the turn of its owner, or take it.
    const duringTurn = await inFirewallTurn(t.deps, server.id, () => our.put(stranger, server, []))
    expect(duringTurn.status).toBe(404)
    const operator = await t.make.admin()
    expect((await our.put(operator, server, [SSH])).status).toBe(200)
    expect((await our.confirm(operator, server)).status).toBe(200)
    const entries = await t.as(server.user).call(api.servers.activity, {
      ...params(server),
      query: {},
    })
    expect(entries.filter(({ action }) => action.startsWith('instance.firewall'))).toMatchObject([
      { action: 'instance.firewall-confirmed', by: 'operator' },
      { action: 'instance.firewall', by: 'operator' },
    ])
  })

  test('is seen and not changed by an operator who simulates its owner', async () => {
    const server = await our.server()
    const operator = await t.make.admin()
    const start = { params: { userId: server.user.id } }
    const { cookie } = await t.as(operator).attempt(api.simulation.start, start)
    const simulated = t.with(cookie ?? '')
    expect(await simulated.call(api.firewall.get, params(server))).toMatchObject({ rules: [] })
    const refused = { status: 403, body: { code: 'NOT_WHILE_SIMULATING' } }
    const body = { rules: [] }
    expect(await simulated.attempt(api.firewall.set, { ...params(server), body })).toMatchObject(
      refused,
    )
    expect(await simulated.attempt(api.firewall.confirm, params(server))).toMatchObject(refused)
  })

  test('says what is wrong with a rule, and changes nothing', async () => {
    const server = await our.server()
    const answer = await our.put(server.user, server, [SSH, { ...WEB, ports: '90-80' }])
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', message: 'The range 90-80 runs backwards: write 80-90.' },
    })
    expect(
      (
        await our.put(
          server.user,
          server,
          Array.from({ length: 51 }, () => SSH),
        )
      ).status,
    ).toBe(400)
    expect((await our.row(server)).version).toBe(0)
  })

  test('takes fifty rules', async () => {
    const server = await our.server()
    const rules = Array.from({ length: 50 }, (_, at) => ({ ...SSH, ports: String(1000 + at) }))
    expect((await our.put(server.user, server, rules)).status).toBe(200)
    expect(our.reaches(server, 1049)).toBe(true)
    expect(our.rulesOf(server)).toHaveLength(52)
    expect((await our.confirm(server.user, server)).status).toBe(200)
    expect((await our.get(server.user, server)).rules.map(({ ports }) => ports)).toEqual(
      rules.map(({ ports }) => ports),
    )
  })

  test('has nothing to confirm before anything was tried', async () => {
    const server = await our.server()
    expect(await our.confirm(server.user, server)).toMatchObject({
      status: 409,
      body: { message: 'There are no rules to confirm. Apply some first.' },
    })
  })

  test('is open again for an account that takes the server over', async () => {
    const server = await our.server()
    const home = { ...SSH, source: '198.51.100.7', comment: 'from home' }
    await our.put(server.user, server, [home])
    await our.confirm(server.user, server)
    await our.put(server.user, server, [home, WEB])
    const { body } = await t.as(server.user).attempt(api.servers.offer, params(server))
    const receiver = await t.make.client()
    await t.as(receiver).call(api.client.takeOver, { params: { code: body.code }, body: {} })
    const seen = await our.get(receiver, server)
    expect(seen).toMatchObject({ rules: [], incoming: 'ACCEPT', revertAt: null, reverted: null })
    expect(JSON.stringify(await our.row(server))).not.toContain('198.51.100.7')
    await our.sweep()
    expect(our.rulesOf(server)).toEqual(['out DROP 25'])
    expect(await our.get(receiver, server)).toMatchObject({ isApplied: true })
    expect(await our.leaving(server)).toEqual(PROTECTED)
  })

  test('is part of what its owner exports, and forgotten with the account', async () => {
    const server = await our.server()
    await our.put(server.user, server, [WEB])
    await our.confirm(server.user, server)
    const exported = await t.as(server.user).call(api.account.export)
    expect(exported.firewalls).toMatchObject([{ incoming: 'DROP', rules: [WEB] }])
    await t.as(await t.make.admin()).call(api.users.remove, { params: { id: server.user.id } })
    expect((await our.row(server)).confirmed.rules).toEqual([])
  })

  test('cannot be changed once the server has ended', async () => {
    const server = await our.server()
    expect((await our.put(server.user, server, [SSH])).status).toBe(200)
    await t.db.update(tokens).set({ status: 'expired' }).where(eq(tokens.id, server.tokenId))
    const refused = {
      status: 409,
      body: { message: 'This server has expired. Renew it to change its firewall.' },
    }
    expect(await our.put(server.user, server, [])).toMatchObject(refused)
    expect(await our.confirm(server.user, server)).toMatchObject(refused)
    expect((await our.row(server)).confirmed.rules).toEqual([])
  })

  test('lets mail out from its first start where the package says so', async () => {
    const size = { cpu: '2 CPU', ram: '2 GB RAM', storage: '20 GB SSD' }
    await t.db.insert(packages).values({
      id: 'mail',
      name: 'Mail',
      ...size,
      priceCents: 500,
      osOptions: [],
      mailOpen: true,
    })
    const token = await our.shop.token()
    const user = await t.make.client()
    const { jobId } = await our.hand.sales.claim(actorOf(user), token.tokenId, 'purchase')
    await t.db.update(orders).set({ planId: 'mail' }).where(eq(orders.tokenId, token.id))
    await our.hand.runToEnd(jobId)
    const [instance] = await our.shop.instancesOf(token.id)
    const { id = 0, vmId = 0 } = instance ?? {}
    const server = { id, vmId, user, tokenId: token.id, name: token.name }
    expect(await our.leaving(server)).toEqual({ ...PROTECTED, mail: true })
    // An operator's word counts from then on.
    const admin = t.as(await t.make.admin())
    await admin.call(api.network.setMail, { ...params(server), body: { isOpen: false } })
    expect(await our.leaving(server)).toEqual(PROTECTED)
    const [row] = await t.db.select().from(firewalls).where(eq(firewalls.instanceId, id))
    expect(row?.isMailOpen).toBe(false)
  })
})
