import type { ClusterData } from '../state/types.ts'
import { forbidden, PveError } from '../wire/errors.ts'
import { type Actor, require, requireAny } from './permissions.ts'

/** The permission expressions of PVE's schemas, as data. */
export type Check =
  | { perm: string; privileges: string[]; any?: boolean; needs?: string }
  | { and: Check[] }
  | { or: Check[] }
  | { userParam: 'self' }
  | { userGroup: string[] }

/** 'world' needs no login; 'all' is any caller that is signed in. */
export type Permissions = 'world' | 'all' | Check

type Request = { data: ClusterData; who: Actor; params: ReadonlyMap<string, string> }

const fill = (template: string, params: ReadonlyMap<string, string>) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => params.get(name) ?? '')

function passes(check: Check, request: Request): boolean {
  try {
    run(check, request)
    return true
  } catch (error) {
    if (error instanceof PveError && error.status === 403) return false
    throw error
  }
}

function run(check: Check, request: Request): void {
  const { data, who, params } = request
  if ('and' in check) {
    for (const part of check.and) run(part, request)
  } else if ('or' in check) {
    // PVE tries all alternatives and then does not name the missing one.
    if (!check.or.some((part) => passes(part, request))) throw forbidden()
  } else if ('userParam' in check) {
    if (params.get('userid') !== who.userid) throw forbidden()
  } else if ('userGroup' in check) {
    requireAny(data, who, '/access/groups', check.userGroup)
  } else {
    if (check.needs && !params.has(check.needs)) throw forbidden()
    const path = fill(check.perm, params)
    if (check.any) requireAny(data, who, path, check.privileges)
    else require(data, who, path, check.privileges)
  }
}

/** Throws 403 "Permission check failed (path, privilege)". Runs before parameters are checked. */
export function authorize(permissions: Permissions, request: Request): void {
  if (permissions !== 'world' && permissions !== 'all') run(permissions, request)
}
