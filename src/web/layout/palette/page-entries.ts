import { navigate } from 'wouter/use-browser-location'
import type { useDuties } from '../../api/session.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import type { CommandEntry } from '../../ui/menu/command-list.tsx'
import { FURTHER_NAV, type NavItem } from '../navigation/navigation.ts'

export const pageEntries = (
  area: Area,
  nav: readonly NavItem[],
  may: ReturnType<typeof useDuties>,
): CommandEntry[] =>
  [...nav, ...FURTHER_NAV[area]]
    .filter(({ duty }) => may(duty))
    .map(({ path, label, icon }) => ({
      id: `go ${path}`,
      icon,
      label,
      detail: path,
      run: () => navigate(path),
    }))
