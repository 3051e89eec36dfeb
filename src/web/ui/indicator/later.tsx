import { type ReactNode, Suspense } from 'react'
import { Loading, Skeleton } from './skeleton.tsx'

type LaterProps = { className: string; label?: string; children: ReactNode }

/** A part of a page that is in a chunk of its own; until it is there, its outline of this size. */
export const Later = ({ className, label = 'Loading', children }: LaterProps) => (
  <Suspense
    fallback={
      <Loading label={label}>
        <Skeleton className={className} />
      </Loading>
    }
  >
    {children}
  </Suspense>
)
