import { CircleX } from 'lucide-react'
import type { Job } from '#shared/api/dashboard.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { useJobs } from '../../widgets/use-jobs.ts'

/** Why work failed, and a way to run it again. */
export function FailedJobs({ message }: { message: string }) {
  const { failed } = useJobs()
  return (
    <li className="px-5 py-3">
      <p className="flex items-center gap-3">
        <CircleX aria-hidden="true" className="size-4 shrink-0 text-bad" />
        {message}
      </p>
      {failed.length > 0 && (
        <ul className="mt-2 space-y-3 pl-7">
          {failed.map((job) => (
            <FailedJob key={job.id} job={job} />
          ))}
        </ul>
      )}
    </li>
  )
}

function FailedJob({ job }: { job: Job }) {
  const retry = useAction(api.jobs.retry, {
    done: { title: 'Started again', description: job.title },
    failed: 'It could not be started again',
    refresh: [api.jobs.list, api.dashboard.attention],
  })
  return (
    <li className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <p className="break-words font-semibold">{job.title}</p>
        <p className="break-words text-ink-soft">
          {job.error ?? 'Something went wrong on our side.'}
        </p>
      </div>
      <Button
        size="sm"
        aria-label={`Retry: ${job.title}`}
        isPending={retry.isPending}
        onClick={() => void retry.run({ params: { id: job.id } })}
      >
        Retry
      </Button>
    </li>
  )
}
