import { holds, type Permissions } from '#proxmox/access.ts'
import { supports, type Version } from '#proxmox/version.ts'
import type { Diagnosis, DoctorScope } from './hypervisor.ts'

type Need = { path: string; role: string; privileges: string[]; why: string }

const OPERATOR =
  'VM.Allocate VM.Audit VM.PowerMgmt VM.Console VM.Config.Disk VM.Config.CPU VM.Config.Memory VM.Config.Network VM.Config.Options VM.Config.Cloudinit VM.Config.HWType VM.Config.CDROM'.split(
    ' ',
  )

/** Everything we do, where, and the least that PVE wants for it (facts §16). */
function needs(version: Version, scope: DoctorScope): Need[] {
  const agent = supports(version, 'guest-agent-privileges') ? 'VM.GuestAgent.Audit' : 'VM.Monitor'
  const bridges = supports(version, 'sdn-use') ? scope.bridges : []
  const home = scope.pool === undefined ? '/vms' : `/pool/${scope.pool}`
  const templates = scope.templatePool === undefined ? home : `/pool/${scope.templatePool}`
  return [
    {
      path: home,
      role: 'VpsOperator',
      privileges: [...OPERATOR, agent],
      why: 'to create, configure, start and stop VMs and show their screens',
    },
    {
      path: templates,
      role: 'VpsTemplates',
      privileges: ['VM.Audit', 'VM.Clone'],
      why: 'to clone templates',
    },
    { path: '/', role: 'VpsAudit', privileges: ['Sys.Audit'], why: 'to see nodes and their load' },
    ...scope.storages.map((storage) => ({
      path: `/storage/${storage}`,
      role: 'VpsStore',
      privileges: ['Datastore.AllocateSpace', 'Datastore.Audit'],
      why: `to put disks on ${storage}`,
    })),
    ...bridges.map((bridge) => ({
      path: `/sdn/zones/localnetwork/${bridge}`,
      role: 'VpsNet',
      privileges: ['SDN.Use'],
      why: `to plug VMs into ${bridge}`,
    })),
  ]
}

/** Compares what the credentials may do with what we need, and says how to grant the rest. */
export function diagnose(given: {
  version: Version
  permissions: Permissions
  /** `user@realm` or `user@realm!token`. */
  username: string
  scope: DoctorScope
}): Diagnosis {
  const { version, permissions, username, scope } = given
  const lacking = needs(version, scope).flatMap((need) => {
    const missing = need.privileges.filter((privilege) => !holds(permissions, need.path, privilege))
    return missing.length === 0 ? [] : [{ need, missing }]
  })
  return {
    version: version.text,
    missing: lacking.map(({ need, missing }) => ({
      path: need.path,
      privileges: missing,
      why: need.why,
    })),
    commands:
      lacking.length === 0
        ? []
        : commands(
            lacking.map(({ need }) => need),
            username,
          ),
  }
}

/** `role add` fails where the role exists, `role modify` where it does not: one of them does it. */
function commands(lacking: readonly Need[], username: string): string[] {
  const roles = new Map<string, Set<string>>()
  for (const { role, privileges } of lacking) {
    const all = roles.get(role) ?? new Set()
    for (const privilege of privileges) all.add(privilege)
    roles.set(role, all)
  }
  const [user = username] = username.split('!')
  const who = [`--users ${user}`, ...(username.includes('!') ? [`--tokens '${username}'`] : [])]
  const makeRoles = [...roles].map(([role, privileges]) => {
    const list = `${role} --privs "${[...privileges].join(' ')}"`
    return `pveum role add ${list} || pveum role modify ${list}`
  })
  const pools = lacking.flatMap(({ path }) => path.match(/^\/pool\/(.+)$/)?.[1] ?? [])
  const makePools = [...new Set(pools)].map((pool) => `pveum pool add ${pool} || true`)
  const grants = lacking.flatMap(({ path, role }) =>
    // A token with privilege separation needs the rule as well as its user.
    who.map((whom) => `pveum acl modify ${path} ${whom} --roles ${role}`),
  )
  return [...makeRoles, ...makePools, ...grants]
}
