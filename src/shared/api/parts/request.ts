import type { RequestOf, Route } from './route.ts'

export type Input = {
  params?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
}

/** The second argument of a call: optional where the route needs none. */
export type Args<R extends Route> =
  Record<never, never> extends RequestOf<R> ? [input?: RequestOf<R>] : [input: RequestOf<R>]

/** Set on what a page asks by itself: it does not keep a session from ending unused. */
export const UNATTENDED = 'unattended'

/** '/api/tokens/:id' and { id: 7 } → '/api/tokens/7' */
export const pathOf = (route: Pick<Route, 'path'>, input: Input = {}): string =>
  route.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name] ?? '')),
  )

export function searchOf(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  )
  return given.length > 0 ? `?${search}` : ''
}
