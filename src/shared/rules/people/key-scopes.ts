/** What an API key may be used for. Each scope is given on its own: none includes another. */
export const KEY_SCOPES = [
  'servers:read',
  'servers:power',
  'servers:rebuild',
  'servers:console',
  'billing:read',
  'billing:spend',
] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export const SCOPE_WORDS: Record<KeyScope, string> = {
  'servers:read': 'See your servers, without their logins',
  'servers:power': 'Start, stop and restart them',
  'servers:rebuild': 'Change, reinstall and end them',
  'servers:console': 'Open their screens',
  'billing:read': 'See plans, orders and your credit',
  'billing:spend': 'Buy and renew',
}
