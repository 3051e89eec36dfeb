import clsx from 'clsx'
import { RefreshCw } from 'lucide-react'
import { Button } from '../../ui/form/button.tsx'
import { RelativeTime } from './relative-time.tsx'

type FreshnessProps = { at: number; isFetching: boolean; hasFailed: boolean; onRefresh: () => void }

/** When the page was last up to date, and a button to refresh it. */
export function Freshness({ at, isFetching, hasFailed, onRefresh }: FreshnessProps) {
  return (
    <div className="flex items-center gap-1 text-ink-soft text-xs">
      <span role="status">
        {hasFailed && <span className="text-bad">Could not refresh. </span>}
        Updated <RelativeTime at={at} />
      </span>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Refresh"
        // Not disabled: the button keeps the focus while it works.
        aria-disabled={isFetching}
        onClick={() => {
          if (!isFetching) onRefresh()
        }}
      >
        <RefreshCw aria-hidden="true" className={clsx('size-4', isFetching && 'animate-spin')} />
      </Button>
    </div>
  )
}
