import { describe, expect, test } from 'vitest'
import { testApp } from '../testing/test-app.ts'
import { actorOf, byHand } from './testing/by-hand.ts'
import { openShop } from './testing/shop.ts'

describe('an instance made by an admin for a client', async () => {
  const t = await testApp({ sim: true })
  const shop = await openShop(t)
  const hand = byHand(t)
  const boss = actorOf(await t.make.admin())
  const provision = (tokenId: number, clientUserId: number, name = 'Their server') =>
    hand.sales.provisionForClient(boss, { tokenId, name, clientUserId })

  test('has its row at once and its VM soon after', async () => {
    const client = await t.make.client()
    const token = await shop.token()
    const { instanceId, jobId, order } = await provision(token.id, client.id)
    const [row] = await shop.instancesOf(token.id)
    expect(row).toMatchObject({ id: instanceId, status: 'creating', ownerId: client.id })
    expect(order).toMatchObject({ kind: 'admin', amountCents: 0, status: 'provisioning' })
    await hand.runToEnd(jobId)
    const [made] = await shop.instancesOf(token.id)
    expect(made).toMatchObject({ id: instanceId, status: 'running', name: 'Their server' })
    const vmId = made?.vmId ?? 0
    expect(t.sim.state.vms.get(vmId)?.config.name).toBe(`their-server-${vmId}`)
    expect(await shop.tokenRow(token.id)).toMatchObject({
      status: 'assigned',
      assignedUserId: client.id,
    })
  })

  test('needs an active client and a token on sale, and changes nothing otherwise', async () => {
    const client = await t.make.client()
    const token = await shop.token()
    const other = await t.make.admin()
    await expect(provision(token.id, other.id)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'Please select or create a client',
    })
    const inactive = await t.make.client({ isActive: false })
    await expect(provision(token.id, inactive.id)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    await expect(provision(999_999, client.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
    const both = await Promise.allSettled([
      provision(token.id, client.id),
      provision(token.id, client.id),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await shop.instancesOf(token.id)).toHaveLength(1)
  })

  test('leaves no row behind if it cannot be made', async () => {
    const client = await t.make.client()
    const token = await shop.token()
    const { jobId } = await provision(token.id, client.id)
    t.sim.faults.add({ kind: 'task-error', path: '/clone$', count: 1, message: 'no space left' })
    await hand.runToEnd(jobId)
    expect(await shop.jobRow(jobId)).toMatchObject({ state: 'failed' })
    expect(await shop.instancesOf(token.id)).toEqual([])
    expect(await shop.tokenRow(token.id)).toMatchObject({ status: 'available' })
  })
})
