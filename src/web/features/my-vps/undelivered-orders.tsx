import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ClientToken } from '#shared/api/overview/client.ts'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { useJobs } from '../../widgets/jobs/use-jobs.ts'
import { undeliveredOf } from './undelivered.ts'

/** Servers that could not be created: their tokens are stock again, so no card shows them (P4). */
export function UndeliveredOrders({ tokens = [] }: { tokens: readonly ClientToken[] | undefined }) {
  const { failed } = useJobs()
  const shown = new Set(tokens.map(({ job }) => job?.id))
  const undelivered = failed.filter(({ id, kind }) => kind === 'provision' && !shown.has(id))
  return undelivered.length > 0 && <Notices failed={undelivered} />
}

/** What became of the money is known from the orders. */
function Notices({ failed }: { failed: readonly Job[] }) {
  const billing = useQuery({ ...query(api.billing.overview), staleTime: 0 })
  if (billing.isPending) return null
  const notices = undeliveredOf(failed, billing.data?.orders)
  if (notices.length === 0) return null
  return (
    <ul className="space-y-4">
      {notices.map(({ id, title, text }) => (
        <li key={id} className="overflow-hidden rounded-md border">
          <Notice tone="bad" icon={CircleAlert} title={title}>
            {text}
          </Notice>
        </li>
      ))}
    </ul>
  )
}
