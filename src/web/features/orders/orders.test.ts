import { describe, expect, test } from 'vitest'
import type { Candidate, Order, OrderStatus } from '#shared/api/shop/orders.ts'
import { refundChoices } from '../../widgets/billing/refund-fields.tsx'
import { sectionsOf } from './order-sections.ts'
import { bodyOf, EMPTY_PROVISION, isComplete, offeredVms, vmLabel } from './provision-form.ts'

const order = (id: number, status: OrderStatus): Order =>
  ({ id, status, createdAt: `2026-01-0${id}T00:00:00.000Z` }) as Order

describe('the sections', () => {
  const ids = (orders: Order[]) =>
    sectionsOf(orders).map(({ title, orders: found }) => [title, found.map(({ id }) => id)])

  test('pending contains pending and paid orders, actionable ones first', () => {
    const all = [
      order(1, 'pending'),
      order(2, 'paid'),
      order(3, 'active'),
      order(4, 'active'),
      order(5, 'cancelled'),
      order(6, 'provisioning'),
    ]
    expect(ids(all)).toEqual([
      ['Pending Orders', [2, 1]],
      ['Active Orders', [4, 3]],
      ['Other Orders', [6, 5]],
    ])
  })

  test('an order whose server has ended is not among the active ones', () => {
    const ended: Order = { ...order(2, 'active'), server: 'ended' }
    expect(ids([{ ...order(1, 'active'), server: 'current' }, ended])).toEqual([
      ['Pending Orders', []],
      ['Active Orders', [1]],
      ['Other Orders', [2]],
    ])
  })

  test('Other Orders is shown only where there are any', () => {
    expect(ids([])).toEqual([
      ['Pending Orders', []],
      ['Active Orders', []],
    ])
  })
})

describe('refunding', () => {
  const choices = (status: OrderStatus, byProvider: boolean) =>
    refundChoices({ isDelivered: status === 'active', byProvider })

  test('is always possible as credit, by the provider where it can, and keeping the money only after delivery', () => {
    expect(choices('paid', true).map(({ value }) => value)).toEqual(['credit', 'provider'])
    expect(choices('active', true).map(({ value }) => value)).toEqual([
      'credit',
      'provider',
      'none',
    ])
  })

  test('a refund that the provider cannot make is refused in words', () => {
    expect(choices('paid', true).filter(({ refusal }) => refusal)).toEqual([])
    expect(choices('paid', false).find(({ refusal }) => refusal)?.value).toBe('provider')
  })
})

describe('provisioning by hand', () => {
  test('requires a node and a VM ID', () => {
    expect(isComplete(EMPTY_PROVISION)).toBe(false)
    expect(isComplete({ ...EMPTY_PROVISION, nodeId: '1' })).toBe(false)
    expect(isComplete({ ...EMPTY_PROVISION, nodeId: '1', vmId: '42' })).toBe(false)
    expect(isComplete({ ...EMPTY_PROVISION, nodeId: '1', vmId: '142' })).toBe(true)
  })

  test('omits fields that were left empty', () => {
    const fields = { ...EMPTY_PROVISION, nodeId: '1', vmId: '142' }
    expect(bodyOf(fields)).toEqual({ status: 'active', assignedNodeId: 1, assignedVmId: 142 })
    expect(bodyOf({ ...fields, acceptedVmId: '142' })).toMatchObject({ acceptSmaller: true })
    // Another VM was chosen since; the confirmation was for the earlier one.
    expect(bodyOf({ ...fields, acceptedVmId: '141' })).not.toHaveProperty('acceptSmaller')
    expect(bodyOf({ ...fields, username: 'root', password: 'x' })).toMatchObject({
      username: 'root',
      password: 'x',
    })
  })

  test('offers VMs made by Hushbox, and an operator’s own VMs only on request', () => {
    const vm = (vmId: number, isOurs: boolean): Candidate => ({
      vmId,
      name: `vm-${vmId}`,
      status: 'stopped',
      isOurs,
      size: '2 CPU',
      shortfall: null,
    })
    const list = [vm(101, true), vm(102, false)]
    expect(offeredVms(list, false).map(vmLabel)).toEqual(['101, vm-101 (stopped), 2 CPU'])
    expect(offeredVms(list, true).map(vmLabel)).toEqual([
      '101, vm-101 (stopped), 2 CPU',
      '102, vm-102 (stopped), 2 CPU, not made here',
    ])
    expect(offeredVms(undefined, true)).toEqual([])
  })
})
