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
const ORDER = `${paths.billing}/orders/`
const PROTECTED = new Set<string>(Object.values(paths).filter((path) => !PUBLIC.has(path)))

/** A page that exists but requires sign-in. */
export const isProtectedPath = (path: string): boolean =>
  PROTECTED.has(path) || path.startsWith('/console/') || path.startsWith(ORDER)

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

/** One of the two signed-in areas. */
export type Area = 'admin' | 'client'

const SHARED_TITLES: Record<string, string> = {
  [paths.home]: 'Dashboard',
  [paths.dashboard]: 'Dashboard',
  [paths.pricing]: 'Pricing',
  [paths.settings]: 'Settings',
  [paths.profile]: 'Profile',
  [paths.terms]: 'Terms of Service',
  [paths.privacy]: 'Privacy',
}

const TITLES: Record<Area, Record<string, string>> = {
  client: {
    ...SHARED_TITLES,
    [paths.clientDashboard]: 'Dashboard',
    [paths.createInstance]: 'Create New Instance',
    [paths.myInstances]: 'My Instances',
    [paths.myTokens]: 'My VPS Tokens',
    [paths.billing]: 'Billing',
  },
  admin: {
    ...SHARED_TITLES,
    [paths.adminDashboard]: 'Admin Dashboard',
    [paths.tokens]: 'Instance Tokens',
    [paths.orders]: 'Orders',
    [paths.packages]: 'Packages',
    [paths.instances]: 'Instances',
    [paths.nodes]: 'Nodes & Templates',
    [paths.clusters]: 'Cluster Connections',
    [paths.proxmoxManager]: 'Proxmox Manager',
    [paths.users]: 'System Users',
    [paths.createUser]: 'Create New User',
    [paths.cancelledInstances]: 'Cancelled Instances',
  },
}

/** The header's title. A client's unknown path is its dashboard; an admin's is a 404. */
export function pageTitle(path: string, area: Area): string {
  const title = TITLES[area][path]
  if (title !== undefined) return title
  if (area === 'admin') return 'Page not found'
  return path.startsWith(ORDER) ? `Order ${path.slice(ORDER.length)}` : 'Dashboard'
}
