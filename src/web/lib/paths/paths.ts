/** Every address of the application. Links are built from here, never typed. */
export const paths = {
  home: '/',
  login: '/login',
  register: '/register',
  pricing: '/pricing',
  terms: '/terms',
  privacy: '/privacy',

  dashboard: '/dashboard',
  settings: '/settings',
  profile: '/profile',

  clientDashboard: '/client-dashboard',
  createInstance: '/create-instance',
  myInstances: '/my-instances',
  myTokens: '/my-tokens',
  billing: '/billing',

  adminDashboard: '/admin-dashboard',
  tokens: '/tokens',
  orders: '/orders',
  packages: '/packages',
  instances: '/instances',
  nodes: '/nodes',
  clusters: '/clusters',
  pools: '/pools',
  proxmoxManager: '/proxmox-manager',
  users: '/users',
  createUser: '/create-user',
  cancelledInstances: '/cancelled-instances',
} as const

const PUBLIC = new Set<string>([
  paths.home,
  paths.login,
  paths.register,
  paths.pricing,
  paths.terms,
  paths.privacy,
])
/** The path before the number of an order. */
export const ORDER = `${paths.billing}/orders/`
/** The path before the number of a server. */
export const SERVER = '/servers/'
/** The path before the code of a payment link. */
export const PAY = '/pay/'
/** Pages that look the same for everyone. */
export const FOR_EVERYONE = /^\/(terms|privacy|pay\/[^/]+)\/?$/
const PROTECTED = new Set<string>(Object.values(paths).filter((path) => !PUBLIC.has(path)))

/** A page that exists but requires sign-in. */
export const isProtectedPath = (path: string): boolean =>
  PROTECTED.has(path) ||
  path.startsWith('/console/') ||
  path.startsWith(ORDER) ||
  path.startsWith(SERVER)

const withSearch = (path: string, given: Record<string, string | undefined>): string => {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return entries.length === 0
    ? path
    : `${path}?${new URLSearchParams(entries as [string, string][])}`
}

/** The sign-in page; `next`: where to go afterwards; `ended`: the session ended on its own. */
export const loginPath = ({ next, ended }: { next?: string; ended?: boolean } = {}): string =>
  withSearch(paths.login, {
    next: next === paths.home ? undefined : next,
    ended: ended ? '1' : undefined,
  })

/** The registration page, with the chosen plan in the address: storage may be blocked. */
export const registerPath = (plan?: string): string => withSearch(paths.register, { plan })

export const pricingPath = (plan?: string): string => withSearch(paths.pricing, { plan })

export const settingsPath = (tab?: string): string => withSearch(paths.settings, { tab })

/** The screen of an instance. The ticket is behind the #: no server, proxy or log sees it. */
export const consolePath = (id: number | string, ticket?: string): string =>
  ticket === undefined ? `/console/${id}` : `/console/${id}#${ticket}`

/** One order of a client: how to pay it, or its receipt. */
export const orderPath = (id: number | string): string => `${ORDER}${id}`

/** One server, for its client and for operators. */
export const serverPath = (id: number | string): string => `${SERVER}${id}`
