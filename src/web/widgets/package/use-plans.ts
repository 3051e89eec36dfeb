import { useQuery } from '@tanstack/react-query'
import type { PublicPackage } from '#shared/api/shop/packages.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'

const FIVE_MINUTES = 5 * MINUTE_MS
const NONE: readonly PublicPackage[] = []

/** The plans on sale; where they cannot be read, an empty list and a retry. */
export function usePlans() {
  const { data, isPending, isError, isFetching, refetch } = useQuery({
    ...query(api.packages.public),
    staleTime: FIVE_MINUTES,
  })
  const plans = data?.filter((plan) => plan.active) ?? NONE
  return { plans, isPending, hasFailed: isError, isFetching, retry: () => void refetch() }
}
