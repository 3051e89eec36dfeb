import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { navigate } from 'wouter/use-browser-location'
import type { Me } from '#shared/api/people/auth.ts'
import type { Duty } from '#shared/rules/people/roles.ts'
import { ApiError } from './api-error.ts'
import { call } from './call.ts'
import { keyOf } from './request.ts'
import { api } from './table.ts'

const ME = keyOf(api.auth.me)

/**
 * The server marks the page of a visitor without a session cookie, so that the page makes no call
 * that would end in a 401.
 */
const isVisitor = () => document.documentElement.dataset.session === 'none'

/** Null instead of an error for a visitor. */
async function fetchMe(): Promise<Me | null> {
  try {
    return await call(api.auth.me)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

/** The signed-in user; null for a visitor. */
export const me = queryOptions<Me | null>({
  queryKey: ME,
  queryFn: fetchMe,
  initialData: () => (isVisitor() ? null : undefined),
})

/** The signed-in user, inside the signed-in areas only. */
export function useMe(): Me {
  const { data } = useQuery(me)
  if (!data) throw new Error('useMe outside of a signed-in area')
  return data
}

/** One account's data must not be shown to the next. */
const forgetEverything = (client: QueryClient) =>
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] })

export function enter(client: QueryClient, user: Me, to: string) {
  forgetEverything(client)
  client.setQueryData(ME, user)
  navigate(to, { replace: true })
}

/** The address changes first: otherwise the area that opens would judge the old one. */
export function leave(client: QueryClient, to: string) {
  navigate(to)
  client.setQueryData(ME, null)
  forgetEverything(client)
}

/** Whether the server still knows this session; a failed request does not count as an answer. */
export async function isSessionGone(client: QueryClient): Promise<boolean> {
  try {
    return (await client.fetchQuery({ ...me, staleTime: 0 })) === null
  } catch {
    return false
  }
}

export const isSignedIn = (client: QueryClient): boolean => Boolean(client.getQueryData(ME))

/** Whether a duty is among those of a member of the staff, also while simulating. */
export function useDuties(): (duty: Duty | undefined) => boolean {
  const { duties } = useMe()
  // A client has none, and what clients do asks for none.
  return (duty) => duty === undefined || duties === undefined || duties.includes(duty)
}

export const useMay = (duty: Duty): boolean => useDuties()(duty)
