import {
  Ban,
  Boxes,
  Cable,
  CirclePlus,
  CircleUser,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Network,
  Package,
  ReceiptText,
  Server,
  Settings,
  Tag,
  UserPlus,
  Users,
  UsersRound,
} from 'lucide-react'
import type { Area } from '../../lib/paths/page-title.ts'
import { paths } from '../../lib/paths/paths.ts'

export type NavItem = { path: string; label: string; icon: LucideIcon; alsoAt?: readonly string[] }

const SETTINGS: NavItem = { path: paths.settings, label: 'Settings', icon: Settings }

export const CLIENT_NAV: readonly NavItem[] = [
  {
    path: paths.home,
    label: 'Dashboard',
    icon: LayoutDashboard,
    alsoAt: [paths.dashboard, paths.clientDashboard],
  },
  { path: paths.createInstance, label: 'Create Instance', icon: CirclePlus },
  { path: paths.myInstances, label: 'My Instances', icon: Server },
  { path: paths.pricing, label: 'Pricing', icon: Tag },
]

export const ADMIN_NAV: readonly NavItem[] = [
  { path: paths.home, label: 'Dashboard', icon: LayoutDashboard, alsoAt: [paths.dashboard] },
  { path: paths.adminDashboard, label: 'Admin Dashboard', icon: UsersRound },
  { path: paths.tokens, label: 'Instance Tokens', icon: KeyRound },
  { path: paths.orders, label: 'Orders', icon: ReceiptText },
  { path: paths.packages, label: 'Packages', icon: Package },
  { path: paths.pricing, label: 'Pricing', icon: Tag },
  { path: paths.instances, label: 'Instances', icon: Server },
  { path: paths.nodes, label: 'Nodes & Templates', icon: Boxes },
  { path: paths.clusters, label: 'Cluster Connections', icon: Cable },
  { path: paths.proxmoxManager, label: 'Proxmox Manager', icon: Network },
  { path: paths.users, label: 'System Users', icon: Users, alsoAt: [paths.createUser] },
  { path: paths.cancelledInstances, label: 'Cancelled Instances', icon: Ban },
  SETTINGS,
]

const PROFILE: NavItem = { path: paths.profile, label: 'Profile', icon: CircleUser }

/** The account menu: entries about the person rather than the product. */
export const ACCOUNT_NAV: Record<Area, readonly NavItem[]> = {
  client: [
    { path: paths.billing, label: 'Billing', icon: ReceiptText },
    { path: paths.myTokens, label: 'My tokens', icon: KeyRound },
    PROFILE,
    SETTINGS,
  ],
  admin: [PROFILE, SETTINGS],
}

/** Every page that the sidebar does not list. */
export const FURTHER_NAV: Record<Area, readonly NavItem[]> = {
  client: ACCOUNT_NAV.client,
  admin: [PROFILE, { path: paths.createUser, label: 'Create New User', icon: UserPlus }],
}
