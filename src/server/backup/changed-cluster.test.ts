import { join } from 'node:path'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { DAY_MS } from '#shared/rules/time/durations.ts'
import { instances, tokens } from '../db/schema/stock.ts'
import { actorOf, byHand } from '../provisioning/testing/by-hand.ts'
import { openShop } from '../provisioning/testing/shop.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { testApp, testClock } from '../testing/test-app.ts'
import { BOTH_DATABASES, testDb } from '../testing/test-db.ts'
import { writeBackup } from './backup.ts'
import { holdReadyStock } from './hold-stock.ts'
import { restoreBackup } from './restore.ts'

/** The key of every application that tests make. */
const SECRET_KEY = 'a key for tests, long enough to be one'
const YEARS = 3650
const FOLDER = tempFolder('changed')

describe.each(BOTH_DATABASES)('on %s a backup restored after the cluster changed', async (kind) => {
  const clock = testClock()
  const t = await testApp({ database: kind, sim: true, clock })
  const shop = await openShop(t)
  const hand = byHand(t)
  const { vms } = t.sim.state

  const claim = async (token: { id: number; tokenId: string }) => {
    const user = await t.make.client()
    const { jobId } = await hand.sales.claim(actorOf(user), token.tokenId, 'purchase')
    await hand.runToEnd(jobId)
    const { assignedInstanceId, proxmoxVmId } = await shop.tokenRow(token.id)
    return { ...token, user, instanceId: assignedInstanceId ?? 0, vmId: proxmoxVmId ?? 0 }
  }
  const buy = async (values: Record<string, unknown> = {}) =>
    claim(await shop.token({ durationDays: YEARS, ...values }))
  const ready = async (vmId: number) =>
    shop.token({
      tokenType: 'ready',
      instanceId: (await shop.vm(vmId)).id,
      durationDays: YEARS,
      ipAddress: undefined,
    })
  const sync = async (app: Pick<typeof t, 'deps'>) => {
    await app.deps.hypervisors.of(t.cluster.id).inventory.refresh()
    await app.deps.sync.now(t.cluster.id)
  }

  const kept = await buy()
  const noted = await buy()
  const gone = await buy()
  const replaced = await buy()
  const ended = await buy({ durationDays: 1 })
  const endedGone = await buy({ durationDays: 1 })
  const linked = await claim(await ready(101))
  const soldLater = await ready(102)
  const cloneSoldLater = await shop.token({ durationDays: YEARS })
  clock.advance(2 * DAY_MS)
  await hand.sweep()
  await hand.runAll()
  await sync(t)
  const file = join(FOLDER, `${kind}.backup`)
  await writeBackup(t.database, SECRET_KEY, file)

  // After the backup: VMs are removed, others get their ids, stock is sold.
  const another = (vmId: number) => {
    const old = vms.get(vmId)
    if (!old) throw new Error(`there is no VM ${vmId}`)
    const config = {
      ...old.config,
      name: `somebody-${vmId}`,
      description: `hushbox:${t.cluster.uid}:9${vmId}`,
      smbios1: `uuid=00000000-0000-4000-8000-0000000${vmId > 999 ? vmId : `00${vmId}`}`,
    }
    vms.set(vmId, { ...old, config, qmp: 'running' })
  }
  for (const { vmId } of [gone, endedGone]) vms.delete(vmId)
  for (const { vmId } of [replaced, ended, linked]) another(vmId)
  const rewritten = vms.get(noted.vmId)
  if (rewritten) rewritten.config.description = 'My own notes'
  const later = [await claim(soldLater), await claim(cloneSoldLater)]
  const inCluster = () =>
    [...vms.values()]
      .map(({ vmid, qmp, config }) => ({ vmid, qmp, config: { ...config } }))
      .toSorted((a, b) => a.vmid - b.vmid)
  const before = inCluster()
  await t.close()

  const to = await testDb(kind)
  await to.db.execute(sql`drop schema public cascade`)
  await to.db.execute(sql`create schema public`)
  await restoreBackup(to, {
    file,
    secrets: [SECRET_KEY],
    isForced: false,
    afterwards: async (tx, { madeAt }) => {
      expect(await holdReadyStock(tx, madeAt)).toBe(1)
    },
  })
  afterAll(() => to.close())
  const after = await testApp({ on: to, clock })
  await after.deps.links.refresh()
  await sync(after)
  const there = byHand(after)
  const rowOf = async (id: number) =>
    (await after.db.select().from(instances).where(eq(instances.id, id)))[0]
  const admin = after.as(await after.make.admin())
  const statusOf = async (id: number) =>
    (await admin.call(api.instances.list)).find((one) => one.id === id)?.status

  test('shows servers that are gone as missing, and the others with their state', async () => {
    expect(await statusOf(kept.instanceId)).toBe('running')
    expect(await statusOf(noted.instanceId)).toBe('running')
    expect(await statusOf(gone.instanceId)).toBe('missing')
    expect(await statusOf(endedGone.instanceId)).toBe('missing')
  })

  test('does not take another VM with the same id for a client’s server', async () => {
    for (const server of [replaced, linked, ended]) {
      expect(await statusOf(server.instanceId)).toBe('missing')
      expect((await rowOf(server.instanceId))?.name).not.toContain('somebody')
    }
    for (const { user, instanceId: id } of [replaced, linked]) {
      const client = after.as(user)
      const params = { id }
      const answers = [
        await client.attempt(api.instances.metrics, { params, query: { period: 'hour' } }),
        await client.attempt(api.instances.start, { params }),
        await client.attempt(api.instances.stop, { params }),
        await client.attempt(api.consoles.ticket, { params }),
      ]
      expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 'VM_MISSING'))
    }
    expect(inCluster()).toEqual(before)
  })

  test('does not sell again what a client got since', async () => {
    const buyer = after.as(await after.make.client())
    for (const { tokenId } of [soldLater, cloneSoldLater]) {
      const answer = await buyer.attempt(api.marketplace.purchase, { params: { tokenId } })
      expect(answer.status, answer.body.message).toBe(409)
    }
    const problems = (await admin.call(api.tokens.list)).map(({ id, problem }) => [id, problem])
    expect(problems).toContainEqual([
      soldLater.id,
      expect.stringMatching(/^Restored from a backup/),
    ])
    expect(problems).toContainEqual([
      cloneSoldLater.id,
      expect.stringMatching(/^Its address is taken: VM \d+ /),
    ])
    expect(inCluster()).toEqual(before)
  })

  test('lists VMs sold since without an owner, and leaves them alone', async () => {
    for (const { vmId } of later) {
      const rows = await after.db
        .select()
        .from(instances)
        .where(and(eq(instances.vmId, vmId), isNotNull(instances.ownerId)))
      expect(rows).toEqual([])
    }
    await there.sweep()
    clock.advance(60 * DAY_MS)
    for (let n = 0; n < 3; n += 1) {
      await there.sweep()
      await there.runAll()
      await sync(after)
    }
    // The grace period of both ended servers is over: their records are deleted, and nothing in the
    // cluster is.
    for (const { id, instanceId } of [ended, endedGone]) {
      const [token] = await after.db.select().from(tokens).where(eq(tokens.id, id))
      expect(token).toMatchObject({ status: 'cancelled', assignedInstanceId: null })
      expect((await rowOf(instanceId))?.tokenId ?? null).toBeNull()
    }
    expect(inCluster()).toEqual(before)
  })

  test('sells a ready server again once an operator has looked', async () => {
    const { id, instanceId } = soldLater
    const body = shop.form({ tokenType: 'ready', instanceId, ipAddress: undefined })
    const later = after.as(await after.make.admin())
    await later.call(api.tokens.update, { params: { id }, body })
    const [offer] = (await later.call(api.tokens.list)).filter((one) => one.id === id)
    expect(offer?.problem ?? null).toBeNull()
  })
})
