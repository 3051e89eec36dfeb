/**
 * Who an account can be. `admin` is the owner: the word is the specification's, and stays the one
 * of the calls and of the database.
 */
export const ROLES = ['admin', 'operator', 'support', 'billing', 'viewer', 'client'] as const
export type Role = (typeof ROLES)[number]

/**
 * What a route asks of a member of the staff.
 * - `look`: sees lists and states, no secret
 * - `help`: helps clients: power, simulation, releasing a device
 * - `money`: packages, orders, vouchers, coupons, payments
 * - `run`: servers, stock, clusters and clients' accounts, with their logins and consoles
 * - `own`: what is left: how money arrives, and who the other owners are
 */
export const DUTIES = ['look', 'help', 'money', 'run', 'own'] as const
export type Duty = (typeof DUTIES)[number]

const DUTIES_OF: Record<Role, readonly Duty[]> = {
  admin: DUTIES,
  operator: ['look', 'help', 'money', 'run'],
  support: ['look', 'help'],
  billing: ['look', 'money'],
  viewer: ['look'],
  client: [],
}

/** An unknown role has no duty. */
export const dutiesOf = (role: string): readonly Duty[] =>
  Object.hasOwn(DUTIES_OF, role) ? DUTIES_OF[role as Role] : []

export const isStaffRole = (role: string): boolean => dutiesOf(role).length > 0

export const hasDuty = (role: string, duty: Duty): boolean => dutiesOf(role).includes(duty)

/** Nobody gives a role, or changes an account, that may do more than they may themselves. */
export const mayManage = (own: string, other: string): boolean =>
  dutiesOf(other).every((duty) => hasDuty(own, duty))
