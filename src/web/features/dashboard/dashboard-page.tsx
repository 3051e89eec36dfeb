import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { CircleX, KeyRound, LogOut, Play, Server } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ResponseOf } from '#shared/api/route.ts'
import { userName } from '#shared/rules/user-name.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { query } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useLogout } from '../../api/use-logout.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Badge } from '../../ui/indicator/badge.tsx'
import { ProfileCard } from '../../widgets/facts/profile-card.tsx'
import { StatCard } from '../../widgets/facts/stat-card.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { NavigationCards } from './navigation-cards.tsx'

/** `children`: what stands beside the profile, such as the latest updates. */
export function DashboardPage({ children }: { children?: ReactNode }) {
  const user = useMe()
  const stats = useQuery({ ...query(api.stats.get), staleTime: 0 })
  return (
    <div className="space-y-6">
      <Welcome>
        <QueryFreshness query={stats} />
      </Welcome>
      <Stats stats={stats} />
      <NavigationCards area={user.role} />
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
        <Badge>{user.role === 'admin' ? 'Administrator' : 'Client'}</Badge>
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

type StatsProps = { stats: UseQueryResult<ResponseOf<typeof api.stats.get>> }

function Stats({ stats }: StatsProps) {
  const value = (key: 'availableTokens' | 'runningInstances' | 'activeNodes' | 'failedInstances') =>
    stats.data?.[key] ?? (stats.isPending ? undefined : null)
  return (
    <section aria-label="Figures">
      {stats.isError && (
        <Note tone="bad" className="mb-3">
          The figures could not be loaded. {sentenceOf(stats.error)}{' '}
          <button type="button" className="text-link" onClick={() => void stats.refetch()}>
            Try again
          </button>
        </Note>
      )}
      <dl className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        <StatCard label="Available Tokens" value={value('availableTokens')} icon={KeyRound} />
        <StatCard label="Running Instances" value={value('runningInstances')} icon={Play} />
        <StatCard label="Active Nodes" value={value('activeNodes')} icon={Server} />
        <StatCard label="Failed Instances" value={value('failedInstances')} icon={CircleX} />
      </dl>
    </section>
  )
}
