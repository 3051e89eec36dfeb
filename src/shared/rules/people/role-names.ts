import type { Role } from './roles.ts'

export const ROLE_NAMES: Record<Role, string> = {
  admin: 'Administrator',
  operator: 'Operator',
  support: 'Support',
  billing: 'Billing',
  viewer: 'Viewer',
  client: 'Client',
}

/** What each role may, in one line, for the person who gives it. */
export const ROLE_HINTS: Record<Role, string> = {
  admin: 'The owner. May do everything.',
  operator: 'Runs servers, stock and orders. Not the ways to pay, nor owners.',
  support: 'Sees everything but logins, switches servers, simulates clients. No console.',
  billing: 'Sees everything but logins, and handles orders, packages, vouchers and coupons.',
  viewer: 'Sees everything but logins, and changes nothing.',
  client: 'Rents servers.',
}
