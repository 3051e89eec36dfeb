import { expect, test } from 'vitest'
import { canMoveOrder, type OrderStatus, orderRefusal, ordersBefore } from './order-status.ts'

const ALL: OrderStatus[] = ['pending', 'paid', 'provisioning', 'active', 'cancelled']

/** from → [states the system may set, states an admin may set] */
const TABLE: Record<OrderStatus, [OrderStatus[], OrderStatus[]]> = {
  pending: [
    ['paid', 'cancelled'],
    ['paid', 'cancelled'],
  ],
  paid: [
    ['provisioning', 'active', 'cancelled'],
    ['provisioning', 'active', 'cancelled'],
  ],
  provisioning: [['paid', 'active', 'cancelled'], ['cancelled']],
  active: [['cancelled'], ['cancelled']],
  cancelled: [[], []],
}

test.each(Object.entries(TABLE))('%s', (from, [system, admin]) => {
  const status = from as OrderStatus
  expect(ALL.filter((to) => canMoveOrder(status, to))).toEqual(system)
  expect(ALL.filter((to) => canMoveOrder(status, to, 'admin'))).toEqual(admin)
})

test('a refusal names both states', () => {
  expect(orderRefusal('active', 'paid')).toBe('An order that is active cannot become paid.')
  expect(orderRefusal('paid', 'active')).toBeUndefined()
  expect(ordersBefore('active')).toEqual(['paid', 'provisioning'])
})
