import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Notice } from '../../ui/feedback/notice.tsx'
import { undeliveredOf } from './undelivered.ts'

/** What became of the money is known from the orders. */
export function UndeliveredNotices({ failed }: { failed: readonly Job[] }) {
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
