import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import type { MetricsPoint } from '#shared/api/parts/metrics.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { pageNonce } from '../../lib/browser/page-facts.ts'
import { sentenceCase } from '../../lib/format/words.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Segments } from '../../ui/form/segments.tsx'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { ScrollArea } from '../../ui/layout/scroll-area.tsx'
import { ListState } from '../list/list-state.tsx'
import { QueryFreshness } from '../time/query-freshness.tsx'
import { MetricsChart } from './metrics-chart.tsx'
import { CHARTS, chartsOf, isPeriod, PERIODS, type Period } from './metrics-series.ts'
import { MetricsTable } from './metrics-table.tsx'

const PERIOD_OPTIONS = PERIODS.map((value) => ({ value, label: sentenceCase(value) }))
const VIEW_OPTIONS = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
]

export type Machine = { kind: 'node' | 'instance'; id: number }

export function useMetrics({ kind, id }: Machine, period: Period) {
  const input = { params: { id }, query: { period } }
  const options =
    kind === 'node' ? query(api.nodes.metrics, input) : query(api.instances.metrics, input)
  return useQuery<MetricsPoint[]>({
    queryKey: options.queryKey,
    queryFn: options.queryFn as () => Promise<MetricsPoint[]>,
    refetchInterval: MINUTE_MS,
    staleTime: MINUTE_MS,
    placeholderData: keepPreviousData,
  })
}

/** CPU, memory, network and disk, as charts or as a table. */
export function MetricsPanel({ machine }: { machine: Machine }) {
  const [asked, setPeriod] = useSearchParam('period', 'hour')
  const [view, setView] = useSearchParam('figures', 'chart')
  const period = isPeriod(asked) ? asked : 'hour'
  const metrics = useMetrics(machine, period)
  return (
    <section aria-label="Metrics" className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-wrap gap-2">
          <Segments label="Period" options={PERIOD_OPTIONS} value={period} onChange={setPeriod} />
          <Segments label="Show as" options={VIEW_OPTIONS} value={view} onChange={setView} />
        </div>
        <QueryFreshness query={metrics} />
      </div>
      <ListState query={metrics} failure="The figures could not be loaded" skeleton={<Skeletons />}>
        {(points) => {
          if (chartsOf(points).length === 0) return <NoFigures kind={machine.kind} />
          return view === 'table' ? (
            <ScrollArea label="Figures" nonce={pageNonce()} className="h-96 rounded-md border">
              <MetricsTable points={points} />
            </ScrollArea>
          ) : (
            <Charts points={points} />
          )
        }}
      </ListState>
    </section>
  )
}

function Charts({ points }: { points: readonly MetricsPoint[] }) {
  return (
    <div className="grid gap-6 xl:grid-cols-2">
      {chartsOf(points).map((chart) => (
        <MetricsChart key={chart.title} chart={chart} points={points} />
      ))}
    </div>
  )
}

function NoFigures({ kind }: { kind: Machine['kind'] }) {
  return (
    <EmptyState icon={Activity} title="No figures for this period">
      {kind === 'node'
        ? 'The cluster has recorded nothing for this node yet, or the node was offline.'
        : 'The cluster records figures while the instance runs. It has not run in this period.'}
    </EmptyState>
  )
}

function Skeletons() {
  return (
    <div className="grid gap-6 xl:grid-cols-2">
      {CHARTS.map(({ title }) => (
        <Skeleton key={title} className="h-48" />
      ))}
    </div>
  )
}
