import type { UseQueryResult } from '@tanstack/react-query'
import { CircleX, KeyRound, Play, Server } from 'lucide-react'
import type { ResponseOf } from '#shared/api/parts/route.ts'
import { sentenceOf } from '../../api/api-error.ts'
import type { api } from '../../api/table.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { StatCard } from '../../widgets/facts/stat-card.tsx'

type StatCardsProps = { stats: UseQueryResult<ResponseOf<typeof api.stats.get>> }

/** The figures of the installation, or why they are missing. */
export function StatCards({ stats }: StatCardsProps) {
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
