import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sentenceOf } from '../../api/api-error.ts'
import { ErrorState } from '../../ui/feedback/error-state.tsx'
import { Loading, Skeleton } from '../../ui/indicator/skeleton.tsx'

type ListStateProps<T> = {
  query: UseQueryResult<T>
  /** What could not be loaded, as a sentence. */
  failure: string
  skeleton?: ReactNode
  children: (data: T) => ReactNode
}

/** Loading, failed, or loaded: data that was read once stays while it is read again. */
export function ListState<T>({ query, failure, skeleton, children }: ListStateProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isPending) return <Loading>{skeleton ?? <Rows />}</Loading>
  return (
    <ErrorState title={failure} onRetry={() => void query.refetch()} isRetrying={query.isFetching}>
      {sentenceOf(query.error)}
    </ErrorState>
  )
}

function Rows() {
  return (
    <div className="space-y-3 p-5">
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-10" />
      ))}
    </div>
  )
}
