import { Tags } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { currentVersion } from '../changelog/changelog-data.ts'
import { ChangelogOpener } from '../changelog/changelog-opener.tsx'
import { BrandLink } from './brand.tsx'
import { LogoutButton } from './logout-button.tsx'
import { navEntryClass } from './nav-entry-class.ts'
import type { NavItem } from './navigation.ts'

type SidebarProps = { nav: readonly NavItem[]; onNavigate?: () => void }

export function Sidebar({ nav, onNavigate }: SidebarProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-16 shrink-0 items-center border-b px-5">
        <BrandLink />
      </div>
      <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto p-3">
        <ul className="space-y-0.5">
          {nav.map((item) => (
            <NavEntry key={item.path} item={item} {...(onNavigate && { onNavigate })} />
          ))}
        </ul>
      </nav>
      <div className="shrink-0 space-y-0.5 border-t p-3">
        <ChangelogOpener>
          {(open) => (
            <button type="button" className={navEntryClass(false)} onClick={open}>
              <Tags aria-hidden="true" strokeWidth={1.75} className="size-4 shrink-0" />
              Version {currentVersion}
            </button>
          )}
        </ChangelogOpener>
        <LogoutButton />
      </div>
    </div>
  )
}

function NavEntry({ item, onNavigate }: { item: NavItem; onNavigate?: () => void }) {
  const [path] = useLocation()
  const isCurrent = path === item.path || item.alsoAt?.includes(path) === true
  return (
    <li>
      <Link
        href={item.path}
        onClick={onNavigate}
        aria-current={isCurrent ? 'page' : undefined}
        className={navEntryClass(isCurrent)}
      >
        <item.icon aria-hidden="true" strokeWidth={1.75} className="size-4 shrink-0" />
        {item.label}
      </Link>
    </li>
  )
}
