import { ORDER, paths, SERVER } from './paths.ts'

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
    [paths.pools]: 'Addresses',
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
  if (path.startsWith(SERVER)) return 'Server'
  if (area === 'admin') return 'Page not found'
  return path.startsWith(ORDER) ? `Order ${path.slice(ORDER.length)}` : 'Dashboard'
}
