import { type ReactNode, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { useMe } from '../../api/session.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { type Area, pageTitle } from '../../lib/paths/page-title.ts'
import { Loading, Skeleton } from '../../ui/indicator/skeleton.tsx'
import { Activity } from '../../widgets/jobs/activity.tsx'
import { Header } from '../header/header.tsx'
import type { NavItem } from '../navigation/navigation.ts'
import { Sidebar } from '../navigation/sidebar.tsx'
import { Shortcuts } from '../shortcuts/shortcuts.tsx'
import { DemoBanner } from './demo-banner.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { SimulationBanner } from './simulation-banner.tsx'
import { SkipLink } from './skip-link.tsx'
import { usePage } from './use-page.ts'
import { useServerEvents } from './use-server-events.ts'

/** On a phone only, and only when opened: the frame itself stays light. */
const Sheet = lazyPage(() => import('../../ui/overlay/sheet.tsx'), 'Sheet')

/** The question for a code, and the news of a recovery: neither is needed to draw the page. */
const WaysIn = lazyPage(() => import('../../widgets/ways-in/ways-in.tsx'), 'WaysIn')

type ShellProps = { nav: readonly NavItem[]; area: Area; children: ReactNode }

/** The frame of the signed-in areas. */
export function Shell({ nav, area, children }: ShellProps) {
  const user = useMe()
  const [path] = useLocation()
  const title = pageTitle(path, area)
  const main = usePage(title)
  const connection = useServerEvents()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const closeMenu = () => setMenuOpen(false)
  return (
    <div className="md:grid md:grid-cols-[15rem_minmax(0,1fr)] print:block">
      <SkipLink />
      <aside
        aria-label="Sidebar"
        className="sticky top-0 z-10 hidden h-dvh border-r bg-card md:flex print:hidden"
      >
        <Sidebar nav={nav} />
      </aside>
      {isMenuOpen && (
        <Suspense>
          <Sheet onClose={closeMenu} title="Menu">
            <Sidebar nav={nav} onNavigate={closeMenu} />
          </Sheet>
        </Suspense>
      )}
      <div className="flex min-h-dvh min-w-0 flex-col">
        <div className="sticky top-0 z-20 bg-paper print:hidden">
          <Header
            title={title}
            area={area}
            connection={connection}
            onMenu={() => setMenuOpen(true)}
          >
            <Activity canRetry={area === 'admin'} />
            <Shortcuts area={area} nav={nav} />
          </Header>
          <SimulationBanner user={user} />
          {!user.isSimulated && (
            <Suspense>
              <WaysIn />
            </Suspense>
          )}
        </div>
        <DemoBanner />
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          className="w-full max-w-7xl flex-1 p-4 sm:p-6 print:p-0"
        >
          <PageBoundary key={path}>
            <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
          </PageBoundary>
        </main>
      </div>
    </div>
  )
}

function PageSkeleton() {
  return (
    <Loading>
      <Skeleton className="mb-4 h-8 w-48" />
      <Skeleton className="h-64 w-full" />
    </Loading>
  )
}
