import clsx from 'clsx'
import { useMemo, useState } from 'react'
import type { MetricsPoint } from '#shared/api/parts/metrics.ts'
import { LazyPlot } from './lazy-plot.tsx'
import { type Chart, columnsOf, latestOf, topOf } from './metrics-series.ts'

const clock = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })

type MetricsChartProps = { chart: Chart; points: readonly MetricsPoint[] }

/** One chart, with the figure under the pointer, else the latest, above it. */
export function MetricsChart({ chart, points }: MetricsChartProps) {
  const [hovered, setHovered] = useState<number | null>(null)
  const columns = useMemo(() => columnsOf(points, chart.lines), [points, chart])
  const top = useMemo(() => topOf(points, chart), [points, chart])
  const point = hovered === null ? undefined : points[hovered]
  const figures = chart.lines.map(({ label, figure }) => {
    const value = point ? point[figure] : latestOf(points, figure)
    return { label, text: value === null ? 'N/A' : chart.format(value) }
  })
  return (
    <figure className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-semibold">{chart.title}</span>
        <span className="tabular flex gap-3 text-xs">
          {point && <span className="text-ink-soft">{clock.format(new Date(point.at))}</span>}
          {figures.map(({ label, text }, index) => (
            <span key={label} className="inline-flex items-center gap-1.5">
              {figures.length > 1 && <Stroke isDashed={index > 0} label={label} />}
              <span className="font-semibold">{text}</span>
            </span>
          ))}
        </span>
      </figcaption>
      <LazyPlot
        columns={columns}
        top={top}
        height={160}
        label={`${chart.title} over time`}
        format={chart.format}
        isBinary={chart.isBinary === true}
        onHover={setHovered}
      />
    </figure>
  )
}

function Stroke({ isDashed, label }: { isDashed: boolean; label: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-ink-soft">
      <span
        aria-hidden="true"
        className={clsx(
          'w-4 border-t-2',
          isDashed ? 'border-ink-soft border-dashed' : 'border-ink',
        )}
      />
      {label}
    </span>
  )
}
