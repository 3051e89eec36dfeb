import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Args } from '#shared/api/parts/request.ts'
import type { ResponseOf, Route } from '#shared/api/parts/route.ts'
import { send } from './call.ts'
import { isKeyOf, keyOf } from './request.ts'

/** The query of a GET route: `useQuery(query(api.users.list))`. */
export const query = <R extends Route>(route: R, ...[input]: Args<R>) =>
  queryOptions({
    queryKey: keyOf(route, input),
    queryFn: ({ signal }) => send(route, input, signal) as Promise<ResponseOf<R>>,
  })

/** Reads again everything that these routes show. */
export const refresh = (client: QueryClient, routes: readonly Route[]) =>
  client.invalidateQueries({
    predicate: ({ queryKey }) => routes.some((route) => isKeyOf(route, queryKey)),
  })
