import { allPrivileges } from '../state/privileges.ts'
import type { Acl, ClusterData } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { forbidden } from '../wire/errors.ts'

/** The caller: user@realm, or user@realm!token. `root@pam!x` is not `root@pam`. */
export type Actor = { authid: string; userid: string; tokenid: string | undefined }

export function actor(authid: string): Actor {
  const [userid = '', tokenid] = authid.split('!')
  return { authid, userid, tokenid }
}

/** Privilege → whether it propagates below this path. */
export type Privileges = Map<string, boolean>

type Subject = { type: Acl['type']; ugid: string }

/** The path and everything above it, top first: /, /vms, /vms/100. */
function lineage(path: string): string[] {
  const parts = path.split('/').filter(Boolean)
  return ['/', ...parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)]
}

/** A deeper entry replaces inherited ones, as in AccessControl::roles. */
function rolesAt(data: ClusterData, subject: Subject, path: string): Map<string, boolean> {
  let roles = new Map<string, boolean>()
  for (const level of lineage(path)) {
    const here = data.acls.filter(
      (acl) =>
        acl.path === level &&
        acl.type === subject.type &&
        acl.ugid === subject.ugid &&
        (acl.propagate || level === path),
    )
    if (here.length > 0) roles = new Map(here.map((acl) => [acl.roleid, acl.propagate]))
  }
  return roles
}

function privilegesOf(data: ClusterData, roles: Map<string, boolean>): Privileges {
  const privileges: Privileges = new Map()
  if (roles.has('NoAccess')) return privileges
  for (const [role, propagate] of roles) {
    for (const privilege of data.roles.get(role) ?? []) {
      privileges.set(privilege, propagate || (privileges.get(privilege) ?? false))
    }
  }
  return privileges
}

function poolOf(data: ClusterData, path: string): string | undefined {
  const [, kind, id] = path.split('/')
  if (path.split('/').length !== 3 || !id) return undefined
  for (const pool of data.pools.values()) {
    if (kind === 'vms' && pool.vms.includes(Number(id))) return pool.poolid
    if (kind === 'storage' && pool.storages.includes(id)) return pool.poolid
  }
  return undefined
}

function subjectPrivileges(data: ClusterData, subject: Subject, path: string): Privileges {
  const roles = rolesAt(data, subject, path)
  const pool = poolOf(data, path)
  if (pool && !roles.has('NoAccess')) {
    for (const [role, propagate] of rolesAt(data, subject, `/pool/${pool}`)) {
      if (role !== 'NoAccess') roles.set(role, propagate)
    }
  }
  return privilegesOf(data, roles)
}

function userPrivileges(data: ClusterData, userid: string, path: string): Privileges {
  if (userid === 'root@pam') {
    return new Map(allPrivileges(data.version).map((privilege) => [privilege, true]))
  }
  return subjectPrivileges(data, { type: 'user', ugid: userid }, path)
}

/** Effective privileges at a path. A token with privilege separation has user ∩ token. */
export function privileges(data: ClusterData, who: Actor, path: string): Privileges {
  const user = userPrivileges(data, who.userid, path)
  if (who.tokenid === undefined) return user
  if (data.tokens.get(who.authid)?.privsep === false) return user
  const own = subjectPrivileges(data, { type: 'token', ugid: who.authid }, path)
  return new Map([...own].filter(([privilege]) => user.has(privilege)))
}

/**
 * Whether the actor has a privilege. Caches its answers: a list of ten thousand VMs checks ten
 * thousand times.
 */
export function permissionReader(data: ClusterData, who: Actor) {
  const everything = who.userid === 'root@pam' && data.tokens.get(who.authid)?.privsep !== true
  const known = new Map<string, Privileges>()
  const at = (path: string): Privileges => {
    const found = known.get(path) ?? privileges(data, who, path)
    known.set(path, found)
    return found
  }
  return {
    has: (path: string, privilege: string) => everything || at(path).has(privilege),
    hasAny: (path: string, wanted: string[]) =>
      everything || wanted.some((privilege) => at(path).has(privilege)),
  }
}

export function require(data: ClusterData, who: Actor, path: string, wanted: string[]): void {
  const have = privileges(data, who, path)
  for (const privilege of wanted) {
    if (!have.has(privilege)) throw forbidden(`${path}, ${privilege}`)
  }
}

export function requireAny(data: ClusterData, who: Actor, path: string, wanted: string[]): void {
  const have = privileges(data, who, path)
  if (!wanted.some((privilege) => have.has(privilege))) {
    throw forbidden(`${path}, ${wanted.join('|')}`)
  }
}

/**
 * GET /access/permissions: the top-level paths and every path that has an entry or a pool member.
 */
export function permissionMap(data: ClusterData, who: Actor, only?: string) {
  const tops = ['/', '/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms']
  const members = [...data.pools.values()].flatMap((pool) => [
    ...pool.vms.map((vmid) => `/vms/${vmid}`),
    ...pool.storages.map((id) => `/storage/${id}`),
  ])
  // Entries are a tree since 8: the paths between the root and an entry are listed with it.
  const tree = atLeast(data.version, '8.0')
  const entries = data.acls.flatMap((acl) => (tree ? lineage(acl.path) : [acl.path]))
  const paths = only ? [only] : [...tops, ...entries, ...members]
  const map: Record<string, Record<string, 0 | 1>> = {}
  for (const path of new Set(paths)) {
    const here = privileges(data, who, path)
    if (here.size === 0) continue
    map[path] = Object.fromEntries([...here].map(([name, down]) => [name, down ? 1 : 0]))
  }
  return map
}
