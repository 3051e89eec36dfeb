import type { RequestOf, Route } from '#shared/api/parts/route.ts'

export type Input = {
  params?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
}

/** The second argument of a call: optional where the route needs none. */
export type Args<R extends Route> =
  Record<never, never> extends RequestOf<R> ? [input?: RequestOf<R>] : [input: RequestOf<R>]

/** '/api/tokens/:id' and { id: 7 } → '/api/tokens/7' */
export const pathOf = (route: Pick<Route, 'path'>, input: Input = {}): string =>
  route.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name] ?? '')),
  )

export function searchOf(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length > 0 ? `?${search}` : ''
}

/** The path comes first, as specified; a query string is the second element. */
export function keyOf(route: Pick<Route, 'path'>, input: Input = {}): [string, ...unknown[]] {
  const path = pathOf(route, input)
  return input.query === undefined ? [path] : [path, input.query]
}

const segments = (path: string) => path.split('/')

/** Whether a query key belongs to this route, with any parameters. */
export function isKeyOf(route: Pick<Route, 'path'>, key: readonly unknown[]): boolean {
  if (typeof key[0] !== 'string') return false
  const path = segments(key[0])
  const pattern = segments(route.path)
  return (
    path.length === pattern.length &&
    pattern.every((part, index) => part.startsWith(':') || part === path[index])
  )
}

const kebab = (noun: string) => noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Whether a query shows this noun: '/api/client/tokens' shows tokens. */
export const isKeyAbout = (noun: string, key: readonly unknown[]): boolean =>
  typeof key[0] === 'string' && segments(key[0]).includes(kebab(noun))
