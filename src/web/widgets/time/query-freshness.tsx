import type { UseQueryResult } from '@tanstack/react-query'
import { Freshness } from './freshness.tsx'

/** When this list was last up to date; nothing before its first read. */
export function QueryFreshness({ query }: { query: UseQueryResult }) {
  if (query.data === undefined) return null
  return (
    <Freshness
      at={query.dataUpdatedAt}
      isFetching={query.isFetching}
      hasFailed={query.isError}
      onRefresh={() => void query.refetch()}
    />
  )
}
