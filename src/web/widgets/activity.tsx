import { Activity as ActivityIcon, CircleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Job } from '#shared/api/dashboard.ts'
import { api } from '../api/table.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { JobLine } from './job-stepper.tsx'
import { useJobs } from './use-jobs.ts'

/** Work that takes longer than a page: how much there is, and the list of it. */
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
        aria-label={`Activity: ${running.length} running, ${failed.length} failed`}
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
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Activity"
        description="Work under way and what failed lately. It goes on when you leave this page."
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        <JobList running={running} failed={failed} canRetry={canRetry} />
      </Dialog>
    </>
  )
}

type JobListProps = { running: readonly Job[]; failed: readonly Job[]; canRetry: boolean }

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

function RetryButton({ job }: { job: Job }) {
  const retry = useAction(api.jobs.retry, {
    done: { title: 'Started again', description: job.title },
    failed: 'It could not be started again',
    refresh: [api.jobs.list],
  })
  return (
    <Button
      size="sm"
      aria-label={`Retry: ${job.title}`}
      isPending={retry.isPending}
      onClick={() => void retry.run({ params: { id: job.id } })}
    >
      Retry
    </Button>
  )
}
