export const ORDER_STATUSES = ['pending', 'paid', 'provisioning', 'active', 'cancelled'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Who may move an order: the course of things, or an admin by hand. */
export type OrderMover = 'system' | 'admin'

/** O2. Back from provisioning to paid: it could not be delivered, and the money is still ours to owe. */
const MOVES: Record<OrderStatus, Partial<Record<OrderStatus, OrderMover[]>>> = {
  pending: { paid: ['system', 'admin'], cancelled: ['system', 'admin'] },
  paid: {
    provisioning: ['system', 'admin'],
    active: ['system', 'admin'],
    cancelled: ['system', 'admin'],
  },
  provisioning: { active: ['system'], paid: ['system'], cancelled: ['system', 'admin'] },
  // By the system: the provider sent all of its money back.
  active: { cancelled: ['system', 'admin'] },
  cancelled: {},
}

export const canMoveOrder = (
  from: OrderStatus,
  to: OrderStatus,
  by: OrderMover = 'system',
): boolean => MOVES[from][to]?.includes(by) ?? false

/** Why not, in a sentence; undefined where it can. */
export const orderRefusal = (
  from: OrderStatus,
  to: OrderStatus,
  by: OrderMover = 'system',
): string | undefined =>
  canMoveOrder(from, to, by) ? undefined : `An order that is ${from} cannot become ${to}.`

/** Every state from which an order can become this one: for guarded updates. */
export const ordersBefore = (to: OrderStatus, by: OrderMover = 'system'): OrderStatus[] =>
  (Object.keys(MOVES) as OrderStatus[]).filter((from) => canMoveOrder(from, to, by))
