import type { LucideIcon } from 'lucide-react'
import { Skeleton } from '../../ui/indicator/skeleton.tsx'

type StatCardProps = {
  label: string
  /** Undefined while loading; null where it could not be read. */
  value: number | undefined | null
  icon: LucideIcon
}

const format = new Intl.NumberFormat('en-US')

/** One figure and what it counts. */
export function StatCard({ label, value, icon: Icon }: StatCardProps) {
  return (
    <div className="rounded-md border bg-card px-4 py-3 sm:px-5 sm:py-4">
      <dt className="flex items-center justify-between gap-2 text-ink-soft">
        {label}
        <Icon aria-hidden="true" strokeWidth={1.75} className="size-4 shrink-0" />
      </dt>
      <dd className="tabular mt-2 font-semibold text-xl">
        {value === undefined ? (
          <>
            <span className="sr-only">Loading</span>
            <Skeleton className="h-8 w-16" />
          </>
        ) : value === null ? (
          'N/A'
        ) : (
          format.format(value)
        )}
      </dd>
    </div>
  )
}
