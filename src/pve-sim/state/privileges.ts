import type { Version } from './types.ts'
import { atLeast } from './versions.ts'

const VM_CONFIG = [
  'CDROM',
  'CPU',
  'Cloudinit',
  'Disk',
  'HWType',
  'Memory',
  'Network',
  'Options',
].map((part) => `VM.Config.${part}`)
const VM_USER = [
  'VM.Audit',
  'VM.Backup',
  'VM.Config.CDROM',
  'VM.Config.Cloudinit',
  'VM.Console',
  'VM.PowerMgmt',
]
const VM_ADMIN = [
  'VM.Allocate',
  'VM.Audit',
  'VM.Backup',
  'VM.Clone',
  ...VM_CONFIG,
  'VM.Console',
  'VM.Migrate',
  'VM.PowerMgmt',
  'VM.Snapshot',
  'VM.Snapshot.Rollback',
]
const AGENT_9 = ['Audit', 'FileRead', 'FileSystemMgmt', 'FileWrite', 'Unrestricted'].map(
  (part) => `VM.GuestAgent.${part}`,
)
const DATASTORE = ['Allocate', 'AllocateSpace', 'AllocateTemplate', 'Audit'].map(
  (part) => `Datastore.${part}`,
)
const SYS = ['AccessNetwork', 'Audit', 'Console', 'Incoming', 'Modify', 'PowerMgmt', 'Syslog'].map(
  (part) => `Sys.${part}`,
)
const SDN = ['SDN.Allocate', 'SDN.Audit', 'SDN.Use']
const REST = [
  'Group.Allocate',
  'Permissions.Modify',
  'Pool.Allocate',
  'Pool.Audit',
  'Realm.Allocate',
  'Realm.AllocateUser',
  'User.Modify',
]
const MAPPING = ['Mapping.Audit', 'Mapping.Modify', 'Mapping.Use']

const agent = (version: Version) =>
  atLeast(version, '9.0') ? [...AGENT_9, 'VM.Replicate'] : ['VM.Monitor']

/** Every privilege of the release, all of which root@pam has everywhere. */
export function allPrivileges(version: Version): string[] {
  const newer = atLeast(version, '8.0') ? MAPPING : []
  return [...VM_ADMIN, ...agent(version), ...DATASTORE, ...SYS, ...SDN, ...REST, ...newer]
}

/** The roles that come with PVE. */
export function builtinRoles(version: Version): [string, string[]][] {
  return [
    ['Administrator', allPrivileges(version)],
    ['NoAccess', []],
    [
      'PVEAdmin',
      [
        ...VM_ADMIN,
        ...agent(version),
        ...DATASTORE,
        ...SDN,
        'Pool.Allocate',
        'Pool.Audit',
        'Sys.Audit',
        'Sys.Console',
        'Sys.Syslog',
        'User.Modify',
      ],
    ],
    ['PVEAuditor', ['Datastore.Audit', 'Pool.Audit', 'SDN.Audit', 'Sys.Audit', 'VM.Audit']],
    ['PVEDatastoreAdmin', DATASTORE],
    ['PVEDatastoreUser', ['Datastore.AllocateSpace', 'Datastore.Audit']],
    ['PVEPoolUser', ['Pool.Audit']],
    ['PVESDNUser', ['SDN.Audit', 'SDN.Use']],
    ['PVESysAdmin', ['Permissions.Modify', 'Sys.Audit', 'Sys.Console', 'Sys.Syslog']],
    ['PVETemplateUser', ['VM.Audit', 'VM.Clone']],
    ['PVEVMAdmin', [...VM_ADMIN, ...agent(version)]],
    ['PVEVMUser', VM_USER],
  ]
}
