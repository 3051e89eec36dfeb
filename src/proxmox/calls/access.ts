import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import { flag } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'

/** path → privilege held there → whether paths below inherit it */
export const Permissions = z
  .record(z.string(), z.record(z.string(), flag))
  .transform((paths) => new Map(Object.entries(paths).map(([at, held]) => [at, toMap(held)])))
export type Permissions = z.output<typeof Permissions>

const toMap = (held: Record<string, boolean>) => new Map(Object.entries(held))

/**
 * PVE lists the paths that have rules of their own, each with its effective privileges. Any other
 * path inherits what its nearest listed ancestor propagates.
 */
export function holds(permissions: Permissions, at: string, privilege: string): boolean {
  const own = permissions.get(at)
  if (own !== undefined) return own.has(privilege)
  for (let above = parentOf(at); above !== undefined; above = parentOf(above)) {
    const held = permissions.get(above)
    if (held !== undefined) return held.get(privilege) === true
  }
  return false
}

function parentOf(at: string): string | undefined {
  if (at === '/') return undefined
  return at.slice(0, at.lastIndexOf('/')) || '/'
}

export function accessCalls(call: Caller) {
  return {
    /** The privileges of the credentials in use. Every user may query its own. */
    permissions: (options?: CallOptions): Promise<Permissions> =>
      call.get(path`/access/permissions`, Permissions, options),
  }
}
