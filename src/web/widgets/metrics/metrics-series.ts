import type { MetricsPoint } from '#shared/api/parts/metrics.ts'
import { formatBytes, formatRate } from '../../lib/format/bytes.ts'

type Figure = Exclude<keyof MetricsPoint, 'at'>

export type Line = { label: string; figure: Figure }
export type Chart = {
  title: string
  lines: readonly Line[]
  format: (value: number) => string
  /** Bytes are counted in powers of two, and so are the grid lines. */
  isBinary?: true
  /** The figure that is the upper edge; without one, the highest value. */
  ceiling?: Figure | 1
}

export const PERIODS = ['hour', 'day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

export const isPeriod = (value: string): value is Period =>
  PERIODS.some((period) => period === value)

const percent = (value: number) => `${(value * 100).toFixed(1)}%`

export const CHARTS: readonly Chart[] = [
  {
    title: 'CPU',
    lines: [{ label: 'CPU', figure: 'cpuUsage' }],
    format: percent,
    ceiling: 1,
  },
  {
    title: 'Memory',
    lines: [{ label: 'Used', figure: 'memoryUsed' }],
    format: formatBytes,
    isBinary: true,
    ceiling: 'memoryTotal',
  },
  {
    title: 'Network',
    lines: [
      { label: 'In', figure: 'netIn' },
      { label: 'Out', figure: 'netOut' },
    ],
    format: formatRate,
    isBinary: true,
  },
  {
    title: 'Disk',
    lines: [
      { label: 'Read', figure: 'diskRead' },
      { label: 'Write', figure: 'diskWrite' },
    ],
    format: formatRate,
    isBinary: true,
  },
]

/** Seconds first, then one column per line: the format of uPlot. */
export const columnsOf = (
  points: readonly MetricsPoint[],
  lines: readonly Line[],
): [number[], ...(number | null)[][]] => [
  points.map(({ at }) => Date.parse(at) / 1000),
  ...lines.map(({ figure }) => points.map((point) => point[figure])),
]

/** A peak is drawn in full: its line does not run along the edge. */
const HEADROOM = 1.08

/** The upper edge of the chart: the total, never less than the highest value. */
export function topOf(points: readonly MetricsPoint[], { lines, ceiling }: Chart): number {
  const values = points.flatMap((point) => lines.map(({ figure }) => point[figure] ?? 0))
  const edges =
    typeof ceiling === 'string' ? points.map((point) => point[ceiling] ?? 0) : [ceiling ?? 0]
  const peak = Math.max(...values, 0) * HEADROOM
  return Math.max(peak, ...edges) || 1
}

const hasLine = (points: readonly MetricsPoint[], { lines }: Chart): boolean =>
  points.some((point) => lines.some(({ figure }) => point[figure] !== null))

/** The charts that have data: a node has no figures for its disks. */
export const chartsOf = (points: readonly MetricsPoint[]): readonly Chart[] =>
  CHARTS.filter((chart) => hasLine(points, chart))

/** The last figure that is present. */
export const latestOf = (points: readonly MetricsPoint[], figure: Figure): number | null =>
  points.findLast((point) => point[figure] !== null)?.[figure] ?? null
