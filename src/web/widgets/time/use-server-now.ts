import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { useNow } from '../../lib/format/time.ts'
import { clockOffset } from './server-clock.ts'

/**
 * The server's time, updated at this interval: a browser with a wrong clock counts down correctly
 * (T6).
 */
export function useServerNow(everyMs: number): number {
  const { data, dataUpdatedAt } = useQuery(query(api.system.settings))
  return useNow(everyMs) + clockOffset(data?.serverTime, dataUpdatedAt)
}
