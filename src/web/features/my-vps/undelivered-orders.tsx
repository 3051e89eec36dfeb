import { Suspense } from 'react'
import type { ClientToken } from '#shared/api/overview/client.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { useJobs } from '../../widgets/jobs/use-jobs.ts'

const UndeliveredNotices = lazyPage(() => import('./undelivered-notices.tsx'), 'UndeliveredNotices')

/** Servers that could not be created: their tokens are stock again, so no card shows them (P4). */
export function UndeliveredOrders({ tokens = [] }: { tokens: readonly ClientToken[] | undefined }) {
  const { failed } = useJobs()
  const shown = new Set(tokens.map(({ job }) => job?.id))
  const undelivered = failed.filter(({ id, kind }) => kind === 'provision' && !shown.has(id))
  return (
    <Suspense>{undelivered.length > 0 && <UndeliveredNotices failed={undelivered} />}</Suspense>
  )
}
