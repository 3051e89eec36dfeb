import { useMemo } from 'react'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'
import { LazyPlot } from './lazy-plot.tsx'
import { type Machine, useMetrics } from './metrics-panel.tsx'
import { CHARTS, chartsOf, columnsOf } from './metrics-series.ts'

const [CPU] = CHARTS

/** The processor over the last hour, as one small line. */
export function CpuSparkline({ machine, name }: { machine: Machine; name: string }) {
  const { data, isPending } = useMetrics(machine, 'hour')
  const columns = useMemo(() => columnsOf(data ?? [], CPU?.lines ?? []), [data])
  if (isPending) return <Skeleton className="h-10" />
  if (!data || chartsOf(data).length === 0) {
    return <p className="flex h-10 items-center text-ink-soft text-xs">No history yet</p>
  }
  return (
    <LazyPlot columns={columns} top={1} height={40} label={`CPU of ${name} over the last hour`} />
  )
}
