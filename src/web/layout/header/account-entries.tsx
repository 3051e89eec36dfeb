import { Keyboard, LogOut, Tags } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { useLogout } from '../../api/use-logout.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { DropdownMenu, MenuItem, MenuLink, MenuSeparator } from '../../ui/menu/dropdown-menu.tsx'
import { ChangelogOpener } from '../changelog/changelog-opener.tsx'
import { ACCOUNT_NAV } from '../navigation/navigation.ts'

const KeyboardHelp = lazyPage(() => import('../shortcuts/keyboard-help.tsx'), 'KeyboardHelp')

type AccountEntriesProps = { area: Area; trigger: ReactNode }

/** The account menu's entries, open as soon as they are loaded. */
export function AccountEntries({ area, trigger }: AccountEntriesProps) {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const logout = useLogout()
  return (
    <>
      <ChangelogOpener>
        {(openChangelog) => (
          <DropdownMenu trigger={trigger} isOpenAtFirst>
            {ACCOUNT_NAV[area].map(({ path, label, icon: Icon }) => (
              <MenuLink key={path} href={path} icon={<Icon aria-hidden="true" />}>
                {label}
              </MenuLink>
            ))}
            <MenuSeparator />
            <MenuItem icon={<Tags aria-hidden="true" />} onSelect={openChangelog}>
              Latest updates
            </MenuItem>
            <MenuItem icon={<Keyboard aria-hidden="true" />} onSelect={() => setHelpOpen(true)}>
              Keyboard shortcuts
            </MenuItem>
            <MenuSeparator />
            <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={() => void logout.run()}>
              Logout
            </MenuItem>
          </DropdownMenu>
        )}
      </ChangelogOpener>
      {isHelpOpen && (
        <Suspense>
          <KeyboardHelp onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
