import {
  Ban,
  Boxes,
  Cable,
  KeyRound,
  LayoutDashboard,
  MapPinned,
  Network,
  Package,
  ReceiptText,
  Server,
  Tag,
  Users,
  UsersRound,
} from 'lucide-react'
import { paths } from '../../lib/paths/paths.ts'
import { type NavItem, SETTINGS } from './navigation.ts'

/** A file of its own: a client's pages do not load it, nor its icons. */
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
  { path: paths.pools, label: 'Addresses', icon: MapPinned },
  { path: paths.proxmoxManager, label: 'Proxmox Manager', icon: Network, duty: 'run' },
  { path: paths.users, label: 'System Users', icon: Users, alsoAt: [paths.createUser] },
  { path: paths.cancelledInstances, label: 'Cancelled Instances', icon: Ban },
  SETTINGS,
]
