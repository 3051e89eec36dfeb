import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Job } from '#shared/api/overview/dashboard.ts'
import { currentConnection, subscribeToConnection } from '../../api/events/events.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { isUnderWay } from './job-stages.ts'

/** While events arrive an occasional poll is enough; without them the page polls often. */
const WITH_EVENTS_MS = 20_000
const WITHOUT_EVENTS_MS = 3_000

/** How often to poll jobs under way. */
export function useJobPace(): number {
  const connection = useSyncExternalStore(subscribeToConnection, currentConnection)
  return connection === 'live' ? WITH_EVENTS_MS : WITHOUT_EVENTS_MS
}

const NONE: readonly Job[] = []

/** Jobs under way and recently failed: read once, then kept up to date by the server's events. */
export function useJobs() {
  const pace = useJobPace()
  const { data = NONE } = useQuery({
    ...query(api.jobs.list),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? pace : false),
  })
  return {
    running: data.filter(isUnderWay),
    failed: data.filter(({ state }) => state === 'failed'),
  }
}
