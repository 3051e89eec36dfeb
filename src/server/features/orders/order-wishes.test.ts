import { and, isNull } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import type { Role } from '#shared/rules/people/roles.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { instances } from '../../db/schema/stock.ts'
import { openShop } from '../../provisioning/testing/shop.ts'
import { type Person, testApp } from '../../testing/test-app.ts'
import { EACH_DATABASE } from '../../testing/test-db.ts'

const { ed25519, ecdsa256 } = PUBLIC_KEYS
const SCRIPT = '#!/bin/sh\necho "the client’s own secret"\n'
const EVERY_WISH = ['hostname', 'sshKeys', 'userData']

describe.each(EACH_DATABASE)('what a client chose for its server (%s)', async (database) => {
  const t = await testApp({ database, sim: true })
  const shop = await openShop(t)

  const addKey = (user: Person, name: string, publicKey: string) =>
    t.as(user).call(api.sshKeys.add, { body: { name, publicKey } })

  /** A paid order that cannot be made automatically: an operator gives it a VM. */
  const ordered = async (choose: (sshKeyIds: number[]) => Wishes) => {
    const user = await t.make.client()
    const laptop = await addKey(user, 'laptop', ed25519.publicKey)
    const phone = await addKey(user, 'phone', ecdsa256.publicKey)
    const plan = { name: 'Odd', cpu: '1 CPU', ram: '1 GB', storage: '10 GB', price: 6 }
    const { id: packageId } = await shop.admin.call(api.packages.create, {
      body: { ...plan, osOptions: ['Plan 9'] },
    })
    const wishes = choose([laptop.id, phone.id])
    const { order } = await t.as(user).call(api.billing.order, {
      body: { packageId, osType: 'Plan 9', ...wishes },
    })
    expect(order).toMatchObject({ status: 'paid' })
    return { user, phone, id: order.id, params: { id: order.id } }
  }
  const withEverything = () =>
    ordered((sshKeyIds) => ({ label: 'Mail', hostname: 'mx-1', sshKeyIds, userData: SCRIPT }))

  const seenBy = async (role: Role, id: number) => {
    const staff = await t.make.admin({ role })
    return await t.as(staff).call(api.orders.details, { params: { id } })
  }

  const nextFree = async () => {
    const [vm] = await t.db
      .select()
      .from(instances)
      .where(and(isNull(instances.ownerId), isNull(instances.tokenId)))
      .orderBy(instances.vmId)
      .limit(1)
    if (!vm) throw new Error('every VM has an owner')
    return vm
  }
  /** Gives the order the next VM without a client. */
  const give = async (id: number) => {
    const vm = await nextFree()
    const login = { username: 'glenda', password: `set in the guest for ${id}` }
    const body = { assignedNodeId: vm.nodeId, assignedVmId: vm.vmId, acceptSmaller: true, ...login }
    const answer = await shop.admin.attempt(api.orders.update, { params: { id }, body })
    expect(answer).toMatchObject({ status: 200, body: { status: 'active' } })
    return { params: { id: vm.id } }
  }
  const toldIn = (timeline: { action: string; notApplied?: string[] | undefined }[]) =>
    timeline.flatMap(({ action, notApplied }) => (notApplied ? [{ action, notApplied }] : []))

  test('is shown to an operator, but of the start-up script only its size', async () => {
    const { user, phone, id, params } = await withEverything()
    // Chosen is chosen, also if the key leaves the ring; and a name is that of this client.
    await t.as(user).call(api.sshKeys.remove, { params: { id: phone.id } })
    await addKey(await t.make.client(), 'a stranger’s name for it', ecdsa256.publicKey)
    const details = await seenBy('operator', id)
    expect(details.wishes).toEqual({
      label: 'Mail',
      hostname: 'mx-1',
      sshKeys: [
        { ...pick(ed25519), name: 'laptop' },
        { ...pick(ecdsa256), name: null },
      ],
      userData: { bytes: Buffer.byteLength(SCRIPT) },
    })
    const sealed = (await shop.orderRow(id)).setup?.userData?.sealed ?? 'no script was kept'
    expect(JSON.stringify(details)).not.toContain('secret')
    expect(JSON.stringify(details)).not.toContain(sealed)
    expect(toldIn(details.timeline)).toEqual([])
    expect((await t.as(user).attempt(api.orders.details, { params })).status).toBe(403)
  })

  test('comes with no history of the VM that an operator gives: it was another client’s until then', async () => {
    const { user, id } = await ordered(() => ({}))
    const free = await nextFree()
    // Done while the order waited.
    await shop.admin.call(api.instances.restart, { params: { id: free.id } })
    const { params } = await give(id)
    expect(params.id).toBe(free.id)
    const seenBy = async (who: Person) =>
      (await t.as(who).call(api.servers.activity, { params })).map(({ action }) => action)
    expect(await seenBy(await t.make.admin())).toContain('instance.restart')
    expect(await seenBy(user)).not.toContain('instance.restart')
    await t.as(user).call(api.instances.restart, { params })
    expect(await seenBy(user)).toContain('instance.restart')
  })

  test('is absent where nothing was chosen', async () => {
    const { id } = await ordered(() => ({}))
    expect((await seenBy('admin', id)).wishes).toBeNull()
    await give(id)
    expect(toldIn((await seenBy('admin', id)).timeline)).toEqual([])
  })

  test.each(['support', 'viewer'] as const)(
    'is shown to the role %s as on the page of a server, without the keys themselves',
    async (role) => {
      const { id } = await withEverything()
      const details = await seenBy(role, id)
      expect(details.wishes).toMatchObject({
        hostname: 'mx-1',
        sshKeys: [
          { fingerprint: ed25519.fingerprint, name: 'laptop', publicKey: null },
          { fingerprint: ecdsa256.fingerprint, name: 'phone', publicKey: null },
        ],
      })
      expect(JSON.stringify(details)).not.toContain('AAAA')
      // Who may give the order a VM needs them, to put them on it.
      const given = (await seenBy('billing', id)).wishes?.sshKeys
      expect(given?.map(({ publicKey }) => publicKey)).toEqual([
        ed25519.publicKey,
        ecdsa256.publicKey,
      ])
    },
  )

  test('and a VM given by hand does not get is told to both, and claimed nowhere', async () => {
    const { user, id, params } = await withEverything()
    const server = await give(id)
    const told = [{ action: 'order.provision', notApplied: EVERY_WISH }]

    const { wishes, timeline } = await seenBy('admin', id)
    expect(toldIn(timeline)).toEqual(told)
    // The script is erased with the delivery; what was chosen besides is still to be read.
    expect(wishes).toMatchObject({ hostname: 'mx-1', sshKeys: [{}, {}], userData: null })

    const client = t.as(user)
    expect(toldIn((await client.call(api.billing.details, { params })).timeline)).toEqual(told)
    const activity = await client.call(api.servers.activity, { ...server, query: {} })
    expect(activity.find(({ action }) => action === 'order.provision')).toMatchObject({
      by: 'operator',
      details: { notApplied: EVERY_WISH },
    })
    expect(JSON.stringify(activity)).not.toMatch(/mx-1|SHA256|vmId/)

    expect(await client.call(api.servers.get, server)).toMatchObject({
      ...{ label: 'Mail', hostname: null, sshKeys: [], hasPassword: true },
    })
    const ring = await client.call(api.sshKeys.list)
    expect(ring.map(({ servers }) => servers)).toEqual([0, 0])
  })

  test('is told only as far as it was not applied: the label is', async () => {
    const labelled = await ordered(() => ({ label: 'Mail' }))
    const server = await give(labelled.id)
    const { timeline } = await t.as(labelled.user).call(api.billing.details, labelled)
    expect(toldIn(timeline)).toEqual([])
    expect(await t.as(labelled.user).call(api.servers.get, server)).toMatchObject({ label: 'Mail' })

    const keyed = await ordered((sshKeyIds) => ({ sshKeyIds }))
    await give(keyed.id)
    const after = await t.as(keyed.user).call(api.billing.details, keyed)
    expect(toldIn(after.timeline)).toEqual([{ action: 'order.provision', notApplied: ['sshKeys'] }])
  })

  test('is nothing that another client can read', async () => {
    const { id, params } = await withEverything()
    const server = await give(id)
    const other = t.as(await t.make.client())
    expect((await other.attempt(api.orders.details, { params })).status).toBe(403)
    expect((await other.attempt(api.billing.details, { params })).status).toBe(404)
    const activity = await other.attempt(api.servers.activity, { ...server, query: {} })
    expect(activity.status).toBe(404)
  })
})

const pick = ({ fingerprint, publicKey }: { fingerprint: string; publicKey: string }) => ({
  fingerprint,
  publicKey,
})
