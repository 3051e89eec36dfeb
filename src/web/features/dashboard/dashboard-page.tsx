import { useQuery } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { ROLE_NAMES } from '#shared/rules/people/role-names.ts'
import { userName } from '#shared/rules/people/user-name.ts'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useLogout } from '../../api/use-logout.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { ProfileCard } from '../../widgets/facts/profile-card.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { NavigationCards } from './navigation-cards.tsx'
import { StatCards } from './stat-cards.tsx'

const SwitchedOffWebhooks = lazyPage(
  () => import('../../widgets/ways-in/switched-off-webhooks.tsx'),
  'SwitchedOffWebhooks',
)

/** `children` is shown beside the profile, such as the latest updates. */
export function DashboardPage({ children }: { children?: ReactNode }) {
  const user = useMe()
  const stats = useQuery({ ...query(api.stats.get), staleTime: 0 })
  return (
    <div className="space-y-6">
      <Welcome>
        <QueryFreshness query={stats} />
      </Welcome>
      <Suspense>
        <SwitchedOffWebhooks />
      </Suspense>
      <StatCards stats={stats} />
      <NavigationCards area={user.role === 'client' ? 'client' : 'admin'} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <ProfileCard user={user} />
        {children}
      </div>
    </div>
  )
}

function Welcome({ children }: { children: ReactNode }) {
  const user = useMe()
  const logout = useLogout()
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="break-words text-lg">Welcome back, {user.firstName || userName(user)}</h2>
        <Badge>{ROLE_NAMES[user.role]}</Badge>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        {children}
        <Button isPending={logout.isPending} onClick={() => void logout.run()}>
          {!logout.isPending && <LogOut aria-hidden="true" className="size-4" />}
          Logout
        </Button>
      </div>
    </div>
  )
}
