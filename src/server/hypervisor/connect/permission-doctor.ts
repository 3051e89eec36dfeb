import { holds, type Permissions } from '#proxmox/calls/access.ts'
import { supports, type Version } from '#proxmox/calls/version.ts'
import { NETWORK_PRIVILEGE } from '../cds/iso-files.ts'
import type { Diagnosis, DoctorScope } from '../port/hypervisor.ts'
import { SEED_PRIVILEGES } from '../seed/seed-stores.ts'

type Given = {
  version: Version
  permissions: Permissions
  /** `user@realm` or `user@realm!token`. */
  username: string
  scope: DoctorScope
  /** Storages of ISO images that the account sees. */
  isoStores: readonly string[]
}

type Need = { path: string; role: string; privileges: string[]; why: string }

/** Stand for every storage and every local bridge if the account sees none that could be named. */
const ALL_STORAGES = '/storage'
const ALL_BRIDGES = '/sdn/zones/localnetwork'

const OPERATOR =
  'VM.Allocate VM.Audit VM.PowerMgmt VM.Console VM.Config.Disk VM.Config.CPU VM.Config.Memory VM.Config.Network VM.Config.Options VM.Config.Cloudinit VM.Config.HWType VM.Config.CDROM'.split(
    ' ',
  )

/**
 * The privilege to set passwords in guests. It also allows commands as root, so it is requested
 * only on demand.
 */
const agentControl = (version: Version) =>
  supports(version, 'guest-agent-privileges') ? 'VM.GuestAgent.Unrestricted' : 'VM.Monitor'

/**
 * Everything we do, on which path, and the least privileges that PVE requires for it (facts §16).
 */
function needs(version: Version, scope: DoctorScope): Need[] {
  const home = scope.pool === undefined ? '/vms' : `/pool/${scope.pool}`
  const templates = scope.templatePool === undefined ? home : `/pool/${scope.templatePool}`
  const agent = scope.guestAgent ? [agentControl(version)] : []
  return [
    {
      path: home,
      role: 'VpsOperator',
      privileges: [...OPERATOR, ...agent],
      why: 'to create, configure, start and stop VMs and show their screens',
    },
    {
      path: templates,
      role: 'VpsTemplates',
      privileges: ['VM.Audit', 'VM.Clone'],
      why: 'to clone templates and to copy their disks',
    },
    { path: '/', role: 'VpsAudit', privileges: ['Sys.Audit'], why: 'to see nodes and their load' },
    ...storageNeeds(scope.storages),
    ...(supports(version, 'sdn-use') ? bridgeNeeds(scope.bridges) : []),
  ]
}

const storageNeeds = (storages: readonly string[]): Need[] => {
  const role = 'VpsStore'
  const privileges = ['Datastore.AllocateSpace', 'Datastore.Audit']
  return storages.length === 0
    ? [
        {
          path: ALL_STORAGES,
          role,
          privileges,
          why: 'to put disks on a storage. The account sees none yet: name all, or one as /storage/name',
        },
      ]
    : storages.map((storage) => ({
        path: `/storage/${storage}`,
        role,
        privileges,
        why: `to put disks on ${storage}`,
      }))
}

const bridgeNeeds = (bridges: readonly string[]): Need[] => {
  const role = 'VpsNet'
  const privileges = ['SDN.Use']
  return bridges.length === 0
    ? [{ path: ALL_BRIDGES, role, privileges, why: 'to plug VMs into the bridges of the nodes' }]
    : bridges.map((bridge) => ({
        path: `/sdn/zones/localnetwork/${bridge}`,
        role,
        privileges,
        why: `to plug VMs into ${bridge}`,
      }))
}

type OptionalNeed = Diagnosis['optional'][number]

/** Optional privileges, and what works without them. */
function optional(given: Given): OptionalNeed[] {
  const { version, scope, permissions } = given
  const path = scope.pool === undefined ? '/vms' : `/pool/${scope.pool}`
  const reads = supports(version, 'guest-agent-privileges')
    ? [
        {
          path,
          privileges: ['VM.GuestAgent.Audit'],
          why: 'Without it the addresses that guests report are not seen.',
          commands: [],
        },
      ]
    : []
  const also = reads.length === 0 ? ' The addresses that guests report are not seen either.' : ''
  const controls = {
    path,
    privileges: [agentControl(version)],
    why: `Without it no password can be set in a guest, so Ready tokens are not sold.${also} It also allows commands as root in every guest: switch Guest agent on in the settings if you want it.`,
    commands: [],
  }
  const lacks = ({ path: at, privileges }: OptionalNeed) =>
    privileges.some((privilege) => !holds(permissions, at, privilege))
  const agent = [...reads, ...(scope.guestAgent ? [] : [controls])]
  return [
    ...agent.filter(lacks),
    ...snapshotNeed(given, path),
    ...backupNeed(given, path),
    ...seedNeed(given),
    ...ownIsoNeed(given),
  ]
}

/** It allows rollbacks, too. */
function snapshotNeed({ permissions, username }: Given, path: string): OptionalNeed[] {
  const privileges = ['VM.Snapshot']
  if (privileges.every((privilege) => holds(permissions, path, privilege))) return []
  const why = 'Without it, no snapshots can be taken, and no server is rolled back.'
  const need = { path, privileges, why }
  return [{ ...need, commands: commands([{ ...need, role: 'VpsSnapshots' }], username) }]
}

/** The storage for them needs Datastore.AllocateSpace, like any other. */
function backupNeed({ permissions, username }: Given, path: string): OptionalNeed[] {
  const privileges = ['VM.Backup']
  if (privileges.every((privilege) => holds(permissions, path, privilege))) return []
  const why = 'Without it, no server is backed up, and no backup is seen or restored.'
  const need = { path, privileges, why }
  return [{ ...need, commands: commands([{ ...need, role: 'VpsBackups' }], username) }]
}

const ISO_STORE = 'local'

/**
 * One storage is enough. Deleting an image takes the privilege over the whole storage, so it is
 * never requested by default.
 */
function seedNeed(given: Given): OptionalNeed[] {
  const { permissions, username, isoStores } = given
  const names = isoStores.length === 0 ? [ISO_STORE] : isoStores
  const isGranted = (name: string) =>
    SEED_PRIVILEGES.every((privilege) => holds(permissions, `/storage/${name}`, privilege))
  if (names.some(isGranted)) return []
  const [name = ISO_STORE] = names
  const need = {
    path: `/storage/${name}`,
    privileges: SEED_PRIVILEGES,
    why: `Without it, clients cannot give a new server a start-up script or cloud-config. Any storage of ISO images will do. It also allows to delete everything on that storage: best give it a directory of its own.`,
  }
  const role = { role: 'VpsSeeds', privileges: [...SEED_PRIVILEGES, 'Datastore.Audit'] }
  return [{ ...need, commands: commands([{ ...need, ...role }], username) }]
}

/** Asked for only where images can be stored at all; before 8.2 it would be the right over the nodes. */
function ownIsoNeed(given: Given): OptionalNeed[] {
  const { version, permissions, username } = given
  const path = '/nodes'
  const privileges = [NETWORK_PRIVILEGE]
  if (!supports(version, 'access-network') || seedNeed(given).length > 0) return []
  if (privileges.every((privilege) => holds(permissions, path, privilege))) return []
  const why =
    'Without it, clients cannot start a server from an image of their own. With it, nodes download what clients name, from inside your network.'
  const need = { path, privileges, why }
  return [{ ...need, commands: commands([{ ...need, role: 'VpsIso' }], username) }]
}

/** Compares the credentials' permissions with what we need, and says how to grant the rest. */
export function diagnose(given: Given): Diagnosis {
  const { version, permissions, username, scope } = given
  const lacking = needs(version, scope).flatMap((need) => {
    const missing = need.privileges.filter((privilege) => !holds(permissions, need.path, privilege))
    return missing.length === 0 ? [] : [{ need, missing }]
  })
  return {
    version: version.text,
    optional: optional(given),
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

/**
 * `role add` fails if the role exists, `role modify` if it does not: one of them succeeds, and
 * keeps what the role has.
 */
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
    return `pveum role add ${list} || pveum role modify ${list} --append 1`
  })
  const pools = lacking.flatMap(({ path }) => path.match(/^\/pool\/(.+)$/)?.[1] ?? [])
  const makePools = [...new Set(pools)].map((pool) => `pveum pool add ${pool} || true`)
  const grants = lacking.flatMap(({ path, role }) =>
    // A token with privilege separation needs the rule in addition to its user.
    who.map((whom) => `pveum acl modify ${path} ${whom} --roles ${role}`),
  )
  return [...makeRoles, ...makePools, ...grants]
}
