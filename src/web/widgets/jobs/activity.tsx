import { Activity as ActivityIcon, CircleAlert } from 'lucide-react'
import { Suspense, useState } from 'react'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { Button } from '../../ui/form/button.tsx'
import { Spinner } from '../../ui/indicator/spinner.tsx'
import { useJobs } from './use-jobs.ts'

const ActivityDialog = lazyPage(() => import('./activity-dialog.tsx'), 'ActivityDialog')

/** Background jobs: how many there are, and the list of them. */
export function Activity({ canRetry }: { canRetry: boolean }) {
  const { running, failed } = useJobs()
  const [isOpen, setOpen] = useState(false)
  const total = running.length + failed.length
  if (total === 0 && !isOpen) return null
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        className="max-sm:px-2"
        aria-label={`Activity: ${total} (${running.length} running, ${failed.length} failed)`}
        onClick={() => setOpen(true)}
      >
        {running.length > 0 ? (
          <Spinner />
        ) : failed.length > 0 ? (
          <CircleAlert aria-hidden="true" className="size-4 text-bad" />
        ) : (
          <ActivityIcon aria-hidden="true" className="size-4" />
        )}
        <span className="tabular">{total}</span>
      </Button>
      {isOpen && (
        <Suspense>
          <ActivityDialog
            running={running}
            failed={failed}
            canRetry={canRetry}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
