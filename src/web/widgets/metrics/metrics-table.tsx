import type { MetricsPoint } from '#shared/api/parts/metrics.ts'
import { type Column, Table } from '../../ui/layout/table.tsx'
import { CHARTS } from './metrics-series.ts'

const clock = new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'short' })

const FIGURES: readonly Column<MetricsPoint>[] = CHARTS.flatMap(({ title, lines, format }) =>
  lines.map(({ label, figure }) => ({
    title: lines.length > 1 ? `${title} ${label.toLowerCase()}` : title,
    isEnd: true,
    cell: (point: MetricsPoint) => {
      const value = point[figure]
      return (
        <span className="tabular whitespace-nowrap">{value === null ? 'N/A' : format(value)}</span>
      )
    },
  })),
)

const COLUMNS: readonly Column<MetricsPoint>[] = [
  {
    title: 'Time',
    cell: ({ at }) => (
      <span className="tabular whitespace-nowrap">{clock.format(new Date(at))}</span>
    ),
  },
  ...FIGURES,
]

/** The same figures, newest first. */
export function MetricsTable({ points }: { points: readonly MetricsPoint[] }) {
  return (
    <Table label="Metrics" columns={COLUMNS} rows={points.toReversed()} rowKey={({ at }) => at} />
  )
}
