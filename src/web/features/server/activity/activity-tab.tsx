import { useInfiniteQuery } from '@tanstack/react-query'
import type { ServerEvent } from '#shared/api/overview/servers.ts'
import { sentenceOf } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { keyOf } from '../../../api/request.ts'
import { api } from '../../../api/table.ts'
import { ErrorState } from '../../../ui/feedback/error-state.tsx'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Loading, Skeleton } from '../../../ui/indicator/skeleton.tsx'
import { Card, CardBody, CardHeader } from '../../../ui/layout/card.tsx'
import { Moments } from '../../../widgets/time/moments.tsx'
import { eventDetail } from './event-detail.ts'

const PAGE = 30

/** Everything anyone did with the server, newest first. */
export function ActivityTab({ server: { id } }: { server: { id: number } }) {
  const activity = useInfiniteQuery({
    queryKey: keyOf(api.servers.activity, { params: { id } }),
    queryFn: ({ pageParam }) =>
      call(api.servers.activity, {
        params: { id },
        query: { limit: PAGE, ...(pageParam > 0 && { before: pageParam }) },
      }),
    initialPageParam: 0,
    getNextPageParam: (last: readonly ServerEvent[]) =>
      last.length === PAGE ? last.at(-1)?.id : undefined,
    refetchOnMount: 'always',
  })
  const events = activity.data?.pages.flat() ?? []
  return (
    <Card className="max-w-3xl">
      <CardHeader
        title="Activity"
        description="What anyone did with this server: its client, operators and the system."
      />
      <CardBody>
        {activity.isPending && (
          <Loading>
            <Skeleton className="h-48" />
          </Loading>
        )}
        {activity.isError && events.length === 0 && (
          <ErrorState
            title="The activity could not be loaded"
            onRetry={() => void activity.refetch()}
            isRetrying={activity.isFetching}
          >
            {sentenceOf(activity.error)}
          </ErrorState>
        )}
        {activity.data && (
          <Moments
            events={events.map((event) => ({ ...event, detail: eventDetail(event) })).toReversed()}
          />
        )}
        {activity.hasNextPage && (
          <div className="mt-5 space-y-3">
            <Button
              isPending={activity.isFetchingNextPage}
              onClick={() => void activity.fetchNextPage()}
            >
              Show older
            </Button>
            {activity.isFetchNextPageError && (
              <Note tone="bad">
                The older entries could not be loaded. {sentenceOf(activity.error)}
              </Note>
            )}
          </div>
        )}
      </CardBody>
    </Card>
  )
}
