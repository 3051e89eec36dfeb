import { Menu } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Connection } from '../../api/events/events.ts'
import type { Area } from '../../lib/paths/page-title.ts'
import { Button } from '../../ui/form/button.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ClusterIndicator } from './cluster-indicator.tsx'
import { ThemeButton } from './theme-button.tsx'
import { useClusterState } from './use-cluster-state.ts'

type HeaderProps = {
  title: string
  area: Area
  connection: Connection
  onMenu: () => void
  /** Further content on the right. */
  children?: ReactNode
}

const SUBTITLES = { admin: 'Proxmox Cluster Management', client: 'VPS Dashboard' }

export function Header({ title, area, connection, onMenu, children }: HeaderProps) {
  const clusterState = useClusterState()
  return (
    <header className="border-b px-4 sm:flex sm:h-16 sm:items-center sm:gap-3 sm:px-6">
      <div className="flex h-14 min-w-0 flex-1 items-center gap-3">
        <Button
          variant="ghost"
          size="icon"
          className="-ml-2 md:hidden"
          aria-label="Open the menu"
          onClick={onMenu}
        >
          <Menu aria-hidden="true" className="size-5" />
        </Button>
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-base leading-5">{title}</h1>
          <p className="truncate text-ink-soft text-xs">{SUBTITLES[area]}</p>
        </div>
        <span role="status" className="text-ink-soft text-xs">
          {connection === 'reconnecting' && 'Reconnecting…'}
        </span>
        {children}
      </div>
      {/* A separate line on a phone: both keep their labels there. */}
      <div className="flex items-center gap-3 max-sm:h-10 max-sm:justify-between max-sm:border-t">
        <ClusterIndicator state={clusterState} />
        {/* On a phone it is in the settings. */}
        <div className="max-sm:hidden">
          <ThemeButton />
        </div>
        <AccountMenu area={area} />
      </div>
    </header>
  )
}
