import type { Tone } from '../../ui/indicator/badge.tsx'
import { Progress } from '../../ui/indicator/progress.tsx'

type UsageBarProps = {
  label: string
  /** 0 to 1; null where the cluster has no figure. */
  value: number | null
  /** The figure in words, beside the percentage. */
  detail?: string | undefined
}

const FULL = 0.9
const TIGHT = 0.75

const toneOf = (value: number): Tone => {
  if (value >= FULL) return 'bad'
  return value >= TIGHT ? 'warn' : 'good'
}

/** A fraction as percent with one decimal. */
const percent = (value: number | null): string =>
  value === null ? 'N/A' : `${(value * 100).toFixed(1)}%`

/** How much of something is used, as a bar and as a number. */
export function UsageBar({ label, value, detail }: UsageBarProps) {
  return (
    <div>
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="text-ink-soft">{label}</span>
        <span className="tabular">
          {detail && <span className="text-ink-soft text-xs">{detail} · </span>}
          <span className="font-semibold">{percent(value)}</span>
        </span>
      </div>
      <Progress label={label} value={value ?? 0} tone={value === null ? 'idle' : toneOf(value)} />
    </div>
  )
}
