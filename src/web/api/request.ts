import { type Input, pathOf } from '#shared/api/parts/request.ts'
import type { Route } from '#shared/api/parts/route.ts'

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
