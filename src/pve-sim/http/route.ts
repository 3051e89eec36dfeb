import type { Caller } from '../access/auth.ts'
import type { Permissions } from '../access/authorize.ts'
import type { Context } from '../context/context.ts'
import type { Params } from '../formats/params.ts'
import type { Version } from '../state/types.ts'

export type Call = Caller & {
  sim: Context
  /** The node in the path, '' where there is none. */
  node: string
  text(name: string): string
  optional(name: string): string | undefined
  number(name: string): number
  optionalNumber(name: string): number | undefined
  flag(name: string): boolean | undefined
  all: ReadonlyMap<string, string>
  /** The content of an upload. */
  file?: Buffer | undefined
}

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  params: (version: Version) => Params
  permissions: (version: Version) => Permissions
  /** Forwarded to the node in the path; otherwise the entry node itself answers. */
  proxied: boolean
  /** Refused for API tokens. */
  ticketOnly: boolean
  /** The first release that has it. */
  since?: string
  handle: (call: Call) => unknown
}

type RouteSpec = {
  params?: Params | ((version: Version) => Params)
  permissions: Permissions | ((version: Version) => Permissions)
  proxied?: boolean
  ticketOnly?: boolean
  since?: string
  handle: (call: Call) => unknown
}

/** `route('GET /version', {…})`: one row of the table of calls. */
export function route(signature: string, spec: RouteSpec): Route {
  const [method = '', path = ''] = signature.split(' ')
  const { params = {}, permissions } = spec
  if (method !== 'GET' && method !== 'POST' && method !== 'PUT' && method !== 'DELETE') {
    throw new Error(`no such method in ${signature}`)
  }
  return {
    method,
    path,
    params: typeof params === 'function' ? params : () => params,
    permissions: typeof permissions === 'function' ? permissions : () => permissions,
    proxied: spec.proxied ?? false,
    ticketOnly: spec.ticketOnly ?? false,
    ...(spec.since ? { since: spec.since } : {}),
    handle: spec.handle,
  }
}

export type Match = { route: Route; uri: Map<string, string> }

/** Looks routes up by the path's segments, which arrive percent-decoded. */
export function router(routes: Route[]) {
  const compiled = routes.map((entry) => ({ entry, parts: entry.path.split('/').slice(1) }))
  return (method: string, segments: string[]): Match | undefined => {
    for (const { entry, parts } of compiled) {
      if (entry.method !== method || parts.length !== segments.length) continue
      const uri = new Map<string, string>()
      const fits = parts.every((part, i) => {
        const segment = segments[i] ?? ''
        if (!part.startsWith('{')) return part === segment
        uri.set(part.slice(1, -1), segment)
        return segment !== ''
      })
      if (fits) return { route: entry, uri }
    }
    return undefined
  }
}
