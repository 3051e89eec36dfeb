import type { Job } from '#shared/api/overview/dashboard.ts'
import { useMay } from '../../api/session.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/form/button.tsx'

export function RetryButton({ job }: { job: Job }) {
  const retry = useAction(api.jobs.retry, {
    done: { title: 'Started again', description: job.title },
    failed: 'It could not be started again',
    refresh: [api.jobs.list, api.dashboard.attention],
  })
  const mayRetry = useMay('run')
  if (!mayRetry) return null
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
