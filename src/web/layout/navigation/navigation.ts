import {
  CirclePlus,
  CircleUser,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  ReceiptText,
  Server,
  Settings,
  Tag,
  UserPlus,
} from 'lucide-react'
import type { Duty } from '#shared/rules/people/roles.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { paths } from '../../lib/paths/paths.ts'

export type NavItem = {
  path: string
  label: string
  icon: LucideIcon
  alsoAt?: readonly string[]
  /** What a member of the staff must have the duty for; everybody may look. */
  duty?: Duty
}

export const SETTINGS: NavItem = { path: paths.settings, label: 'Settings', icon: Settings }

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
  admin: [
    PROFILE,
    { path: paths.createUser, label: 'Create New User', icon: UserPlus, duty: 'run' },
  ],
}
