export const ORDER_STATUSES = ['pending', 'paid', 'provisioning', 'active', 'cancelled'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** What moves an order: the system, or an admin by hand. */
export type OrderMover = 'system' | 'admin'

/** O2. From provisioning back to paid: delivery failed, and we still owe the client the money. */
const MOVES: Record<OrderStatus, Partial<Record<OrderStatus, OrderMover[]>>> = {
  pending: { paid: ['system', 'admin'], cancelled: ['system', 'admin'] },
  paid: {
    provisioning: ['system', 'admin'],
    active: ['system', 'admin'],
    cancelled: ['system', 'admin'],
  },
  provisioning: { active: ['system'], paid: ['system'], cancelled: ['system', 'admin'] },
  // By the system: the provider refunded all of the money.
  active: { cancelled: ['system', 'admin'] },
  cancelled: {},
}

export const canMoveOrder = (
  from: OrderStatus,
  to: OrderStatus,
  by: OrderMover = 'system',
): boolean => MOVES[from][to]?.includes(by) ?? false

/** Why the move is refused, in a sentence; undefined where it is allowed. */
export const orderRefusal = (
  from: OrderStatus,
  to: OrderStatus,
  by: OrderMover = 'system',
): string | undefined =>
  canMoveOrder(from, to, by) ? undefined : `An order that is ${from} cannot become ${to}.`

/** Every state from which an order can move to this one, for guarded updates. */
export const ordersBefore = (to: OrderStatus, by: OrderMover = 'system'): OrderStatus[] =>
  (Object.keys(MOVES) as OrderStatus[]).filter((from) => canMoveOrder(from, to, by))
