import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useJobPace } from '../../widgets/jobs/use-jobs.ts'
import { lookAgainAfter } from './token-look.ts'

/** The client's tokens, polled while a job works on them. */
export function useMyTokens(now: number) {
  const pace = useJobPace()
  return useQuery({
    ...query(api.client.tokens),
    staleTime: 0,
    refetchInterval: ({ state }) => lookAgainAfter(state.data, now, pace),
  })
}
