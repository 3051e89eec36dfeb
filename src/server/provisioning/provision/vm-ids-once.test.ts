import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { api } from '#shared/api/index.ts'
import { usedVmIds } from '../../db/schema/infrastructure.ts'
import { instances } from '../../db/schema/stock.ts'
import { testApp } from '../../testing/test-app.ts'
import { BOTH_DATABASES } from '../../testing/test-db.ts'
import { actorOf, asBegins, byHand } from '../testing/by-hand.ts'
import { openShop } from '../testing/shop.ts'

describe.each(BOTH_DATABASES)('a VM id on %s', async (database) => {
  const t = await testApp({ sim: true, database })
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()

  const begin = async () => {
    const token = await shop.token()
    const actor = actorOf(await t.make.client())
    return { token, jobId: (await hand.sales.claim(actor, token.tokenId, 'purchase')).jobId }
  }
  const sell = async () => {
    const { token, jobId } = await begin()
    await hand.run(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'done' })
    const [row] = await t.db.select().from(instances).where(eq(instances.tokenId, token.id))
    if (!row) throw new Error('nothing was sold')
    return row
  }
  /** As its end does: the VM is gone, and so is our row of it. */
  const forget = async ({ id, vmId }: { id: number; vmId: number }) => {
    t.sim.state.vms.delete(vmId)
    await t.db.delete(instances).where(eq(instances.id, id))
    await shop.admin.call(api.sync.proxmox)
  }
  const archive = (vmId: number) => {
    const volid = `local:backup/vzdump-qemu-${vmId}-2026_01_01-00_00_00.vma.zst`
    t.sim.state.volumes.set(volid, {
      volid,
      storage: 'local',
      node: 'pve1',
      vmid: vmId,
      content: 'backup',
      format: 'vma.zst',
      size: 1,
      ctime: 1,
    })
  }

  test('that was given once is not given again after its VM is gone', async () => {
    const first = await sell()
    await forget(first)
    const second = await sell()
    expect(second.vmId).toBeGreaterThan(first.vmId)
  })

  test('that archives belong to is passed over, however many follow each other', async () => {
    const last = await sell()
    for (let n = 1; n <= 40; n += 1) archive(last.vmId + n)
    expect((await sell()).vmId).toBe(last.vmId + 41)
  })

  test('that archives belong to is not used after our own memory was lost', async () => {
    const last = await sell()
    archive(last.vmId)
    await forget(last)
    // As after the restore of an older backup of our database.
    await t.db.delete(usedVmIds).where(eq(usedVmIds.vmId, last.vmId))
    expect((await sell()).vmId).not.toBe(last.vmId)
  })

  test('whose archive appears between the check and the copy is changed for another', async () => {
    const { token, jobId } = await begin()
    let reserved = 0
    await hand.run(
      jobId,
      asBegins('clone', async () => {
        const [row] = await t.db.select().from(instances).where(eq(instances.tokenId, token.id))
        reserved = row?.vmId ?? 0
        archive(reserved)
      }),
    )
    const [row] = await t.db.select().from(instances).where(eq(instances.tokenId, token.id))
    expect(row?.status).toBe('running')
    expect(row?.vmId).toBeGreaterThan(reserved)
    expect(t.sim.state.vms.has(reserved)).toBe(false)
  })

  test('of a template’s copy is never one that was given before', async () => {
    const before = await sell()
    await forget(before)
    const [template] = await shop.admin.call(api.templates.list)
    const params = { id: template?.id ?? 0 }
    const made = []
    for (const name of ['copy-a', 'copy-b']) {
      const { jobId } = await shop.admin.call(api.templates.clone, { params, body: { name } })
      const [row] = await t.db.select().from(instances).where(eq(instances.name, name))
      if (!row) throw new Error('no copy')
      if (name === 'copy-a') archive(row.vmId)
      await hand.run(jobId)
      const [now] = await t.db.select().from(instances).where(eq(instances.name, name))
      made.push(now?.vmId ?? 0)
      if (name === 'copy-a') expect(now?.vmId).not.toBe(row.vmId)
    }
    const given = await t.db.select().from(usedVmIds)
    expect(given.map(({ vmId }) => vmId)).toEqual(expect.arrayContaining([before.vmId, ...made]))
    expect(made).not.toContain(before.vmId)
  })
})
