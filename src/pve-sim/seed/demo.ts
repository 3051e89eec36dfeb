import type { ClusterData } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { seedIso, seedNode, seedRoot, seedStorages, seedVm, type VmSpec } from './parts.ts'

const GIB = 1024 ** 3

const TEMPLATES: Omit<VmSpec, 'node' | 'storage'>[] = [
  { vmid: 9000, name: 'ubuntu-22.04', diskGiB: 8, cores: 2, memory: 2048 },
  { vmid: 9001, name: 'ubuntu-25.04', diskGiB: 8, cores: 2, memory: 2048 },
  { vmid: 9002, name: 'windows-server-2025', diskGiB: 40, cores: 2, memory: 4096, ostype: 'win11' },
  { vmid: 9003, name: 'centos-8', diskGiB: 10, cores: 2, memory: 2048 },
  { vmid: 9004, name: 'debian-12', diskGiB: 8, cores: 2, memory: 2048 },
  { vmid: 9005, name: 'rocky-linux-9', diskGiB: 10, cores: 2, memory: 2048 },
]

const ip = (last: number) => ({ ipconfig0: `ip=203.0.113.${last}/24,gw=203.0.113.1` })
const login = (user: string) => ({ ciuser: user, cipassword: '$5$seed$hidden' })

/** A dozen VMs, covering every state of a VM. */
const VMS: VmSpec[] = [
  {
    vmid: 100,
    node: 'pve1',
    name: 'web-frontend',
    storage: 'local-lvm',
    diskGiB: 40,
    cores: 4,
    memory: 8192,
    more: { ...ip(10), ...login('debian'), tags: 'production;web', onboot: '1' },
  },
  {
    vmid: 101,
    node: 'pve1',
    name: 'db-primary',
    storage: 'local-lvm',
    diskGiB: 120,
    cores: 8,
    memory: 16_384,
    more: { ...ip(11), tags: 'production', onboot: '1', protection: '1' },
  },
  {
    vmid: 102,
    node: 'pve1',
    name: 'mail',
    storage: 'ceph-vm',
    diskGiB: 60,
    cores: 2,
    memory: 4096,
    more: ip(12),
    ha: { state: 'started', group: 'all' },
  },
  {
    vmid: 103,
    node: 'pve1',
    name: 'staging',
    storage: 'local-lvm',
    diskGiB: 20,
    cores: 2,
    memory: 2048,
    qmp: 'stopped',
    more: ip(13),
  },
  {
    vmid: 104,
    node: 'pve1',
    name: 'paused-lab',
    storage: 'local-lvm',
    diskGiB: 20,
    cores: 1,
    memory: 1024,
    qmp: 'paused',
    more: ip(14),
  },
  {
    vmid: 105,
    node: 'pve1',
    name: 'hibernated',
    storage: 'local-lvm',
    diskGiB: 20,
    cores: 2,
    memory: 2048,
    qmp: 'stopped',
    more: { ...ip(15), lock: 'suspended', vmstate: 'local-lvm:vm-105-state-suspend-2026-01-01' },
  },
  {
    vmid: 106,
    node: 'pve2',
    name: 'backup-running',
    storage: 'local-lvm',
    diskGiB: 80,
    cores: 2,
    memory: 4096,
    more: { ...ip(16), lock: 'backup' },
  },
  {
    vmid: 107,
    node: 'pve2',
    name: 'disk-full',
    storage: 'local-lvm',
    diskGiB: 10,
    cores: 1,
    memory: 1024,
    qmp: 'io-error',
    more: ip(17),
  },
  {
    vmid: 108,
    node: 'pve2',
    name: 'windows-rdp',
    storage: 'local-lvm',
    diskGiB: 80,
    cores: 4,
    memory: 8192,
    ostype: 'win11',
    more: { ...ip(18), bios: 'ovmf', machine: 'pc-q35-9.0' },
  },
  {
    vmid: 109,
    node: 'pve2',
    name: 'no-agent',
    storage: 'local-lvm',
    diskGiB: 16,
    cores: 1,
    memory: 512,
    more: { ...ip(19), agent: '0' },
    guest: { agent: 'none', ignoresAcpi: true },
  },
  {
    vmid: 110,
    node: 'pve2',
    name: 'ha-worker',
    storage: 'ceph-vm',
    diskGiB: 32,
    cores: 2,
    memory: 4096,
    qmp: 'stopped',
    more: ip(20),
    ha: { state: 'stopped', group: 'all' },
  },
  {
    vmid: 111,
    node: 'pve2',
    name: 'old-agent',
    storage: 'ceph-vm',
    diskGiB: 32,
    cores: 2,
    memory: 4096,
    more: { ...ip(21), balloon: '2048' },
    guest: { agent: 'unsupported' },
  },
]

const OPERATOR =
  'VM.Allocate VM.Audit VM.PowerMgmt VM.Console VM.Config.Disk VM.Config.CPU VM.Config.Memory VM.Config.Network VM.Config.Options VM.Config.Cloudinit VM.Config.HWType VM.Config.CDROM VM.Snapshot'

/** The account of the operator guide, a user who sees two VMs, a token that sees nothing. */
function seedAccess(data: ClusterData): void {
  const agent = atLeast(data.version, '9.0') ? 'VM.GuestAgent.Audit' : 'VM.Monitor'
  data.roles.set('VpsOperator', [...OPERATOR.split(' '), agent])
  data.roles.set('VpsTemplates', ['VM.Audit', 'VM.Clone'])
  data.roles.set('VpsAudit', ['Sys.Audit'])
  data.roles.set('VpsStore', ['Datastore.AllocateSpace', 'Datastore.Audit'])
  data.roles.set('VpsNet', ['SDN.Use'])
  const user = (userid: string, password: string) => ({ userid, password, enable: true, expire: 0 })
  data.users.set('vps@pve', user('vps@pve', 'vps-password'))
  data.users.set('viewer@pve', user('viewer@pve', 'viewer-password'))
  const factors = {
    totp: '3132333435363738393031323334353637383930',
    recovery: ['1111-2222-3333-4444', '5555-6666-7777-8888'],
  }
  data.users.set('tfa@pve', { ...user('tfa@pve', 'tfa-password'), tfa: factors })
  const token = (userid: string, tokenid: string, privsep: boolean) =>
    data.tokens.set(`${userid}!${tokenid}`, {
      userid,
      tokenid,
      secret: '00000000-0000-4000-8000-000000000000',
      privsep,
      expire: 0,
    })
  token('vps@pve', 'app', false)
  token('viewer@pve', 'nothing', true)
  const entry = (path: string, ugid: string, roleid: string) =>
    data.acls.push({ path, type: 'user', ugid, roleid, propagate: true })
  entry('/pool/vps', 'vps@pve', 'VpsOperator')
  entry('/pool/vps-templates', 'vps@pve', 'VpsTemplates')
  for (const storage of ['local-lvm', 'ceph-vm'])
    entry(`/storage/${storage}`, 'vps@pve', 'VpsStore')
  entry('/sdn/zones/localnetwork/vmbr0', 'vps@pve', 'VpsNet')
  entry('/', 'vps@pve', 'VpsAudit')
  entry('/vms/100', 'viewer@pve', 'PVEVMUser')
  entry('/vms/103', 'viewer@pve', 'PVEAuditor')
}

/** Two nodes, six templates, a dozen VMs. `standalone` keeps the first node only. */
export function seedDemo(data: ClusterData, password: string, now: number): void {
  const nodes = data.standalone ? ['pve1'] : ['pve1', 'pve2']
  for (const [index, name] of nodes.entries()) seedNode(data, name, index, now)
  seedStorages(data)
  data.firewallOptions = { enable: 1 }
  data.pools.set('vps', { poolid: 'vps', comment: 'sold by the panel', vms: [], storages: [] })
  data.pools.set('vps-templates', { poolid: 'vps-templates', vms: [], storages: [] })
  for (const template of TEMPLATES) {
    const more = { description: `Template of ${template.name}`, tags: 'template' }
    seedVm(
      data,
      {
        ...template,
        node: 'pve1',
        storage: data.standalone ? 'local-lvm' : 'ceph-vm',
        template: true,
        more,
        pool: 'vps-templates',
      },
      now,
    )
  }
  // A deep copy: changes in one cluster must not leak into the next.
  for (const vm of structuredClone(VMS)) {
    if (data.nodes.has(vm.node)) seedVm(data, { ...vm, pool: 'vps' }, now)
  }
  for (const name of nodes) {
    seedIso(data, name, 'debian-12.11.0-amd64-netinst.iso', 0.7 * GIB, now)
    seedIso(data, name, 'virtio-win-0.1.271.iso', 0.69 * GIB, now)
  }
  seedRoot(data, password)
  seedAccess(data)
}
