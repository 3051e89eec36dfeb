import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { orders } from '../db/schema/sales.ts'
import { tokens } from '../db/schema/stock.ts'
import { jobs as jobsTable } from '../db/schema/work.ts'
import { testApp } from '../testing/test-app.ts'
import { EACH_DATABASE } from '../testing/test-db.ts'
import { openPassword } from '../tokens/token-rows.ts'
import { sellServers } from './testing/servers.ts'
import { openShop } from './testing/shop.ts'

const { ed25519, ecdsa256 } = PUBLIC_KEYS

describe.each(EACH_DATABASE)('what a client chooses for a new server, on %s', async (database) => {
  const env = { PAYMENT_PROVIDER: 'manual' }
  const t = await testApp({ database, sim: true, withJobs: true, env })
  const shop = await openShop(t)
  const { markPaid } = sellServers(t, shop)

  const withKeys = async () => {
    const user = await t.make.client()
    const add = (name: string, publicKey: string) =>
      t.as(user).call(api.sshKeys.add, { body: { name, publicKey } })
    const laptop = await add('laptop', ed25519.publicKey)
    const phone = await add('phone', ecdsa256.publicKey)
    return { user, laptop, phone }
  }
  const buy = (user: { id: number; role: string }, tokenId: string, body: Wishes) =>
    t.as(user).attempt(api.marketplace.purchase, { params: { tokenId }, body })
  const delivered = async (orderId: number, tokenId: number) => {
    await markPaid(orderId)
    const job = await shop.ended((await shop.orderRow(orderId)).jobId ?? undefined)
    expect(job).toMatchObject({ state: 'done', failure: null })
    const row = await shop.tokenRow(tokenId)
    return { row, config: t.sim.state.vms.get(row.proxmoxVmId ?? 0)?.config ?? {} }
  }

  test('keys go onto the server, and it has no password anywhere', async () => {
    // The operator set a password in the template itself, which each clone copies.
    const template = t.sim.state.vms.get(9004)
    const before = { ...template?.config }
    if (template) template.config.cipassword = '$5$of$the-template'
    const { user, laptop, phone } = await withKeys()
    const token = await shop.token()
    const wishes = { label: 'Mail', hostname: 'MX-1', sshKeyIds: [laptop.id, phone.id] }
    const { body } = await buy(user, token.tokenId, wishes)
    // Chosen is chosen: the key is used although it leaves the ring before the delivery.
    await t.as(user).call(api.sshKeys.remove, { params: { id: phone.id } })
    const { row, config } = await delivered(body.order.id, token.id)
    if (template) template.config = before

    expect(config).not.toHaveProperty('cipassword')
    const keys = decodeURIComponent(String(config.sshkeys)).trim().split('\n').sort()
    expect(keys).toEqual([ed25519.publicKey, ecdsa256.publicKey].sort())
    expect(config.name).toBe(`mx-1.vm-${row.proxmoxVmId}`)
    expect(openPassword(t.deps.keyring, row)).toBe('')
    const params = { id: row.assignedInstanceId ?? 0 }
    expect(await t.as(user).call(api.servers.get, { params })).toMatchObject({
      label: 'Mail',
      hostname: 'mx-1',
      hasPassword: false,
      sshKeys: [
        { fingerprint: ed25519.fingerprint, name: 'laptop' },
        { fingerprint: ecdsa256.fingerprint, name: null },
      ],
    })
    expect(await t.as(user).attempt(api.instances.reveal, { params })).toMatchObject({
      status: 409,
      body: { code: 'NO_PASSWORD' },
    })
    expect(await t.as(user).call(api.client.tokens)).toMatchObject([{ password: '' }])
    expect(await t.as(user).call(api.sshKeys.list)).toMatchObject([{ name: 'laptop', servers: 1 }])
    const jobs = await t.db.select().from(jobsTable)
    expect(JSON.stringify(jobs)).not.toContain('cipassword')
  })

  test('without a wish the server has a password and no key', async () => {
    const { user } = await withKeys()
    const token = await shop.token()
    const { body } = await buy(user, token.tokenId, {})
    const { row, config } = await delivered(body.order.id, token.id)
    expect(config).toHaveProperty('cipassword')
    expect(config).not.toHaveProperty('sshkeys')
    expect(openPassword(t.deps.keyring, row)).not.toBe('')
    expect((await shop.orderRow(body.order.id)).setup).toBeNull()
  })

  test('a key of another account is refused, and nothing is sold', async () => {
    const [mine, theirs] = [await withKeys(), await withKeys()]
    const token = await shop.token()
    const answer = await buy(mine.user, token.tokenId, { sshKeyIds: [theirs.laptop.id] })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
    expect(await t.db.$count(orders, eq(orders.userId, mine.user.id))).toBe(0)
  })

  test('a hostname belongs to one server of an account, from the order on', async () => {
    const { user } = await withKeys()
    const [first, second] = [await shop.token(), await shop.token()]
    const both = await Promise.all([
      buy(user, first.tokenId, { hostname: 'db-1' }),
      buy(user, second.tokenId, { hostname: 'db-1' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const refused = both.find(({ status }) => status === 409)
    expect(refused?.body.message).toBe('Another server of this account has the hostname db-1.')
    const stranger = await t.make.client()
    const free = await shop.token()
    expect((await buy(stranger, free.tokenId, { hostname: 'db-1' })).status).toBe(201)
  })

  test('a server that runs already takes a label only', async () => {
    const { user, laptop } = await withKeys()
    const vm = await shop.vm(101)
    const token = await shop.token({ tokenType: 'ready', instanceId: vm.id })
    for (const body of [{ sshKeyIds: [laptop.id] }, { hostname: 'web' }]) {
      expect(await buy(user, token.tokenId, body)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('runs already') },
      })
    }
    const { body } = await buy(user, token.tokenId, { label: 'Mine' })
    const { row } = await delivered(body.order.id, token.id)
    const params = { id: row.assignedInstanceId ?? 0 }
    expect(await t.as(user).call(api.servers.get, { params })).toMatchObject({ label: 'Mine' })
  })

  test('Windows takes no keys', async () => {
    const { user, laptop } = await withKeys()
    const token = await shop.token({ osType: 'Windows Server 2022' })
    const answer = await buy(user, token.tokenId, { sshKeyIds: [laptop.id] })
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Windows servers take no SSH keys') },
    })
  })

  test('the choices are erased with the account', async () => {
    const { user, laptop } = await withKeys()
    const token = await shop.token()
    const { body } = await buy(user, token.tokenId, { label: 'Private', sshKeyIds: [laptop.id] })
    await shop.admin.call(api.users.remove, { params: { id: user.id } })
    expect((await shop.orderRow(body.order.id)).setup).toBeNull()
    const rows = await t.db.select().from(tokens)
    expect(JSON.stringify(rows)).not.toContain('Private')
  })
})
