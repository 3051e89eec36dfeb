import type { ClusterState } from '../state/cluster-state.ts'
import type { Version } from '../state/types.ts'

export const SECRET = '00000000-0000-4000-8000-000000000000'
const OPERATOR =
  'VM.Allocate,VM.Audit,VM.PowerMgmt,VM.Console,VM.Config.Disk,VM.Config.CPU,VM.Config.Memory,VM.Config.Network,VM.Config.Options,VM.Config.Cloudinit,VM.Config.HWType,VM.Config.CDROM,VM.Clone'

type Grant = { path: string; role: string; privileges: (version: Version) => string[] }

const always =
  (...privileges: string[]) =>
  () =>
    privileges

/** Who asks besides root: one with the rights of an operator's account, and one who may only look. */
export const ACCOUNTS: { user: string; grants: Grant[] }[] = [
  {
    user: 'probe@pve',
    grants: [
      {
        path: '/pool/probe',
        role: 'ProbeOp',
        privileges: (version) => [
          ...OPERATOR.split(','),
          version === '9.1' ? 'VM.GuestAgent.Audit' : 'VM.Monitor',
        ],
      },
      {
        path: '/storage/local-lvm',
        role: 'ProbeStore',
        privileges: always('Datastore.AllocateSpace', 'Datastore.Audit'),
      },
      {
        path: '/sdn/zones/localnetwork/vmbr0',
        role: 'ProbeNet',
        privileges: always('SDN.Use'),
      },
      { path: '/', role: 'ProbeAudit', privileges: always('Sys.Audit') },
    ],
  },
  {
    user: 'viewing@pve',
    grants: [{ path: '/vms', role: 'ProbeView', privileges: always('VM.Audit') }],
  },
]

/** Prepares a simulated host like the recorded one: its accounts, storages and template. */
export function prepareHost(state: ClusterState, version: Version): void {
  state.pools.set('probe', { poolid: 'probe', vms: [], storages: [] })
  for (const { user, grants } of ACCOUNTS) {
    state.addUser({ userid: user, password: 'probe-pass-1' })
    state.addToken({ userid: user, tokenid: 'tt', privsep: false, secret: SECRET })
    for (const { path, role, privileges } of grants) {
      state.addRole(role, privileges(version))
      state.setAcl({ path, type: 'user', ugid: user, roleid: role })
    }
  }
  for (const storage of state.storages.values()) {
    storage.type = 'dir'
    storage.content = [...new Set([...storage.content, 'images'])]
  }
  state.firewallOptions = {}
  const iso = {
    volid: 'local:iso/seed.iso',
    storage: 'local',
    node: 'pve1',
    content: 'iso',
  } as const
  state.volumes.set(`pve1/${iso.volid}`, { ...iso, format: 'iso', size: 350 * 1024, ctime: 1 })
  for (const node of state.nodes.values()) {
    node.bridges = [{ name: 'vmbr0', ports: '', isVlanAware: false }]
  }
  const template = state.vms.get(9004)
  const old = template?.config.scsi0?.split(',')[0] ?? ''
  const volume = state.volumes.get(old)
  if (!template || !volume) throw new Error('the demo cluster has no template 9004')
  const volid = 'local-lvm:9004/base-9004-disk-0.qcow2'
  state.volumes.delete(old)
  state.volumes.set(volid, { ...volume, volid, storage: 'local-lvm', size: 96 * 1024 ** 2 })
  Object.assign(template.config, {
    scsi0: `${volid},size=96M`,
    boot: 'order=scsi0',
    serial0: 'socket',
    vga: 'std',
    agent: '1',
    net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0',
  })
  delete template.config.tags
}
