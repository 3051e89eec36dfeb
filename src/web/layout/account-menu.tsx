import { CircleUser, Keyboard, LogOut, Tags } from 'lucide-react'
import { Suspense, useState } from 'react'
import { lazyPage } from '../lib/lazy-page.ts'
import type { Area } from '../paths.ts'
import { Button } from '../ui/button.tsx'
import { DropdownMenu, MenuItem, MenuLink, MenuSeparator } from '../ui/dropdown-menu.tsx'
import { useLogout } from '../widgets/use-logout.ts'
import { ChangelogOpener } from './changelog-opener.tsx'
import { ACCOUNT_NAV } from './navigation.ts'

const KeyboardHelp = lazyPage(() => import('./keyboard-help.tsx'), 'KeyboardHelp')

const USER_LABELS = { admin: 'Admin User', client: 'Client User' }

/** The user label of the header: leads to every page that belongs to the person. */
export function AccountMenu({ area }: { area: Area }) {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const logout = useLogout()
  return (
    <>
      <ChangelogOpener>
        {(openChangelog) => (
          <DropdownMenu
            trigger={
              <Button variant="ghost" size="sm" className="-mr-2 max-sm:ml-auto">
                <CircleUser aria-hidden="true" className="size-4" />
                {USER_LABELS[area]}
              </Button>
            }
          >
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
