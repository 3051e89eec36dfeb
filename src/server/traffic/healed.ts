import type { MetricsPoint } from '../hypervisor/port/hypervisor.ts'
import type { Bytes, Span } from './count/sighting.ts'

export type Piece = Bytes & Span

/**
 * What the cluster's history has of a time, row by row. A row holds the average since the one before
 * it. The finer rows of the last hour come first, and the coarser ones for what is older.
 */
export function healed(
  { fine, coarse }: { fine: readonly MetricsPoint[]; coarse: readonly MetricsPoint[] },
  gap: Span,
): Piece[] {
  const fineFrom = fine[0]?.at.getTime() ?? Number.POSITIVE_INFINITY
  return [
    ...pieces(coarse, { from: gap.from, to: Math.min(gap.to, fineFrom) }),
    ...pieces(fine, { from: Math.max(gap.from, fineFrom), to: gap.to }),
  ]
}

function pieces(points: readonly MetricsPoint[], gap: Span): Piece[] {
  return points.flatMap((point, index) => {
    const before = points[index - 1]
    if (!before) return []
    const from = Math.max(gap.from, before.at.getTime())
    const to = Math.min(gap.to, point.at.getTime())
    if (to <= from) return []
    const rate = rateAt(points, index)
    const bytes = (perSecond: number) => Math.round((perSecond * (to - from)) / 1000)
    return [{ in: bytes(rate.in), out: bytes(rate.out), from, to }]
  })
}

const NOTHING: Bytes = { in: 0, out: 0 }

/** A row that was skipped is like its neighbours. Where those are missing too, nothing ran. */
function rateAt(points: readonly MetricsPoint[], index: number): Bytes {
  const own = known(points[index])
  if (own) return own
  const [before, after] = [known(points[index - 1]), known(points[index + 1])]
  if (!before || !after) return NOTHING
  return { in: (before.in + after.in) / 2, out: (before.out + after.out) / 2 }
}

const known = (point: MetricsPoint | undefined): Bytes | undefined =>
  point?.netIn === undefined || point.netOut === undefined
    ? undefined
    : { in: Math.max(0, point.netIn), out: Math.max(0, point.netOut) }
