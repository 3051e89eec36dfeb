import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { orders } from '../../db/schema/sales.ts'
import { instances } from '../../db/schema/stock.ts'
import { putKeysOn } from '../../inventory/vm/server-keys.ts'
import { testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

describe.each(EACH_DATABASE)('the VMs offered for an order (%s)', async (database) => {
  const t = await testApp({ sim: true, database })
  const admin = t.as(await t.make.admin())
  const alice = await t.make.client()
  const rows = await t.db.select().from(instances).orderBy(instances.vmId)
  const nodeId = rows.find(({ vmId }) => vmId === 100)?.nodeId ?? 0
  const here = rows.filter((row) => row.nodeId === nodeId).map(({ vmId }) => vmId)
  const place = async (planName: string) => {
    const [order] = await t.db
      .insert(orders)
      .values({ planName, amountCents: 500, status: 'paid', userId: alice.id })
      .returning()
    return order?.id ?? 0
  }
  const offered = (id: number) =>
    admin.call(api.orders.candidates, { params: { id }, query: { nodeId } })
  const small = await place('Small')

  test('distinguish those made here from the operator’s own', async () => {
    const [first, second] = here
    await t.db
      .update(instances)
      .set({ marker: 'm' })
      .where(eq(instances.vmId, first ?? 0))
    const list = await offered(small)
    expect(list.map(({ vmId }) => vmId)).toEqual(here)
    expect(list.find(({ vmId }) => vmId === first)).toMatchObject({ isOurs: true })
    expect(list.find(({ vmId }) => vmId === second)).toMatchObject({ isOurs: false })
  })

  test('exclude VMs that have an owner or are on sale', async () => {
    const [owned, onSale] = here
    await t.make.owned(t.cluster, owned ?? 0, alice)
    const [row] = await t.db
      .select()
      .from(instances)
      .where(eq(instances.vmId, onSale ?? 0))
    await t.make.token({ status: 'ready', tokenType: 'ready', instanceId: row?.id ?? 0 })
    expect((await offered(small)).map(({ vmId }) => vmId)).toEqual(here.slice(2))
  })

  test('show their real size, and where it is less than what was sold', async () => {
    const [plain] = await offered(small)
    expect(plain?.size).toMatch(/^\d+ CPU, [\d.]+ GB RAM, [\d.]+ GB disk$/)
    expect(plain?.shortfall).toBeNull()
    const [huge] = await offered(await place('Huge, 64 CPU, 512 GB RAM, 9000 GB SSD'))
    expect(huge?.shortfall).toMatch(/instead of 64 CPU, .* instead of 512 GB RAM, .* 9000 GB disk/)
  })

  const give = (id: number, vmId: number | undefined, more: object = {}) => {
    const login = { username: 'debian', password: `known to the admin ${id}` }
    const body = { assignedNodeId: nodeId, assignedVmId: vmId ?? 0, ...login, ...more }
    return admin.attempt(api.orders.update, { params: { id }, body })
  }
  const rowOf = async (vmId: number | undefined) => {
    const [row] = await t.db
      .select()
      .from(instances)
      .where(eq(instances.vmId, vmId ?? 0))
    return row
  }

  test('are the only ones that can be linked: not another client’s, not one on sale', async () => {
    const [owned, onSale] = here
    const before = [await rowOf(owned), await rowOf(onSale)]
    for (const vmId of [owned, onSale]) {
      const refused = await give(small, vmId, { acceptSmaller: true })
      expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    }
    expect([await rowOf(owned), await rowOf(onSale)]).toEqual(before)
  })

  test('can be linked if they are smaller only when the operator confirms it', async () => {
    const vmId = here[2]
    const id = await place('Huge, 64 CPU, 512 GB RAM, 9000 GB SSD')
    for (const more of [{}, { acceptSmaller: false }]) {
      expect(await give(id, vmId, more)).toMatchObject({
        status: 409,
        body: {
          message: expect.stringMatching(/smaller than what was sold: .* instead of 64 CPU/),
        },
      })
    }
    const row = await rowOf(vmId)
    expect(row).toMatchObject({ ownerId: null, tokenId: null })
    // Of a sale that was given up before this version.
    const instanceId = row?.id ?? 0
    await putKeysOn(t.db, instanceId, [KEY])
    expect(await give(id, vmId, { acceptSmaller: true })).toMatchObject({
      status: 200,
      body: { status: 'active', assignedVmId: vmId },
    })
    expect(await rowOf(vmId)).toMatchObject({ ownerId: alice.id })
    const params = { id: instanceId }
    expect((await t.as(alice).call(api.servers.get, { params })).sshKeys).toEqual([])
  })

  test('are visible to administrators only', async () => {
    const input = { params: { id: small }, query: { nodeId } }
    expect((await t.as(alice).attempt(api.orders.candidates, input)).status).toBe(403)
  })
})
