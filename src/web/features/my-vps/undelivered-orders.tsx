import { CircleAlert } from 'lucide-react'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { useJobs } from '../../widgets/jobs/use-jobs.ts'

/** Servers that could not be created: their tokens are stock again, so no card shows them (P4). */
export function UndeliveredOrders({ tokens = [] }: { tokens: readonly ClientToken[] | undefined }) {
  const { failed } = useJobs()
  const shown = new Set(tokens.map(({ job }) => job?.id))
  const undelivered = failed.filter(({ id, kind }) => kind === 'provision' && !shown.has(id))
  if (undelivered.length === 0) return null
  return (
    <ul className="space-y-4">
      {undelivered.map((job) => (
        <li key={job.id} className="overflow-hidden rounded-md border">
          <Notice tone="bad" icon={CircleAlert} title={`${job.title}: it could not be made`}>
            {job.error ?? 'Something went wrong on our side.'} What you paid is not lost: your order
            stays open and the provider can try again. You may also choose another server.
          </Notice>
        </li>
      ))}
    </ul>
  )
}
