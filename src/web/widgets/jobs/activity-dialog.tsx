import { CircleAlert } from 'lucide-react'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { JobLine } from './job-stepper.tsx'
import { RetryButton } from './retry-button.tsx'

type JobListProps = { running: readonly Job[]; failed: readonly Job[]; canRetry: boolean }

export function ActivityDialog({ onClose, ...jobs }: JobListProps & { onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Activity"
      description="Work under way and what failed lately. It goes on when you leave this page."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <JobList {...jobs} />
    </Dialog>
  )
}

function JobList({ running, failed, canRetry }: JobListProps) {
  if (running.length + failed.length === 0) {
    return <p className="text-ink-soft">Everything is done.</p>
  }
  return (
    <ul className="divide-y border-y">
      {running.map((job) => (
        <li key={job.id} className="py-4">
          <JobLine job={job} />
        </li>
      ))}
      {failed.map((job) => (
        <li key={job.id} className="flex items-start justify-between gap-4 py-4">
          <div className="min-w-0">
            <p className="flex items-center gap-2 font-semibold">
              <CircleAlert aria-hidden="true" className="size-4 shrink-0 text-bad" />
              <span className="min-w-0 break-words">{job.title}</span>
            </p>
            <p className="mt-1 text-bad">{job.error ?? 'Something went wrong on our side.'}</p>
          </div>
          {canRetry && <RetryButton job={job} />}
        </li>
      ))}
    </ul>
  )
}
