import { Keyboard, LogOut, Monitor, Moon, RefreshCw, Sun } from 'lucide-react'
import { useMay } from '../../api/session.ts'
import { useLogout } from '../../api/use-logout.ts'
import { setTheme, type Theme } from '../../lib/browser/theme.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import type { CommandEntry } from '../../ui/menu/command-list.tsx'
import { useSync } from '../../widgets/cluster/use-sync.ts'

const THEMES: readonly [theme: Theme, icon: typeof Sun, label: string][] = [
  ['light', Sun, 'Light theme'],
  ['dark', Moon, 'Dark theme'],
  ['system', Monitor, 'Theme of the system'],
]

/** Frequent actions, available on every page. */
export function useCommonActs(area: Area, onHelp: () => void): CommandEntry[] {
  const logout = useLogout()
  const sync = useSync()
  const maySync = useMay('run')
  return [
    ...(area === 'admin' && maySync
      ? [
          {
            id: 'do sync',
            icon: RefreshCw,
            label: 'Sync to Proxmox',
            run: () => void sync.run(),
          },
        ]
      : []),
    ...THEMES.map(([theme, icon, label]) => ({
      id: `do theme ${theme}`,
      icon,
      label,
      run: () => setTheme(theme),
    })),
    { id: 'do help', icon: Keyboard, label: 'Keyboard shortcuts', detail: '?', run: onHelp },
    { id: 'do logout', icon: LogOut, label: 'Logout', run: () => void logout.run() },
  ]
}
