import type { Order, OrderStatus } from '#shared/api/shop/orders.ts'

export type Section = { title: string; empty: string; orders: readonly Order[] }

const PENDING: readonly OrderStatus[] = ['pending', 'paid']

/** Actionable orders first: paid before unpaid, then the one that has waited longest. */
const byUrgency = (a: Order, b: Order): number =>
  Number(b.status === 'paid') - Number(a.status === 'paid') ||
  Date.parse(a.createdAt) - Date.parse(b.createdAt)

const newestFirst = (a: Order, b: Order): number =>
  Date.parse(b.createdAt) - Date.parse(a.createdAt)

/** The sections of the list; the last one only where it is not empty. */
export function sectionsOf(orders: readonly Order[]): readonly Section[] {
  const isPending = ({ status }: Order) => PENDING.includes(status)
  const isActive = ({ status, server }: Order) => status === 'active' && server !== 'ended'
  const other = orders.filter((order) => !isPending(order) && !isActive(order))
  const sections = [
    {
      title: 'Pending Orders',
      empty: 'No pending orders. Nothing waits for you.',
      orders: orders.filter(isPending).toSorted(byUrgency),
    },
    {
      title: 'Active Orders',
      empty: 'No active orders yet.',
      orders: orders.filter(isActive).toSorted(newestFirst),
    },
  ]
  return other.length === 0
    ? sections
    : [...sections, { title: 'Other Orders', empty: '', orders: other.toSorted(newestFirst) }]
}
