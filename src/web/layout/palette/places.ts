import { CircleUser, KeyRound, ReceiptText, Settings, UserPlus } from 'lucide-react'
import { navigate } from 'wouter/use-browser-location'
import { type Area, paths } from '../../paths.ts'
import type { CommandEntry } from '../../ui/command-list.tsx'
import type { NavItem } from '../navigation.ts'

/** Pages that are not in the sidebar. */
const FURTHER: Record<Area, readonly NavItem[]> = {
  client: [
    { path: paths.myTokens, label: 'My VPS Tokens', icon: KeyRound },
    { path: paths.billing, label: 'Billing', icon: ReceiptText },
    { path: paths.settings, label: 'Settings', icon: Settings },
    { path: paths.profile, label: 'Profile', icon: CircleUser },
  ],
  admin: [
    { path: paths.createUser, label: 'Create New User', icon: UserPlus },
    { path: paths.profile, label: 'Profile', icon: CircleUser },
  ],
}

export const placesOf = (area: Area, nav: readonly NavItem[]): CommandEntry[] =>
  [...nav, ...FURTHER[area]].map(({ path, label, icon }) => ({
    id: `go ${path}`,
    icon,
    label,
    detail: path,
    run: () => navigate(path),
  }))
