import { randomBytes, randomUUID } from 'node:crypto'
import { formatSize } from '../formats/property-string.ts'
import { noise } from '../metrics/noise.ts'
import type { ClusterData, Node, QmpStatus, Storage, Vm } from '../state/types.ts'
import { traits } from '../state/versions.ts'
import { addVolume, volumeKey, volumeName } from '../vm/disks.ts'

const GIB = 1024 ** 3
const DAY = 86_400_000

/** Loopback addresses, so that following `ip` never leads to another machine. */
export function seedNode(data: ClusterData, name: string, index: number, now: number): Node {
  const node: Node = {
    name,
    nodeid: index + 1,
    ip: `127.0.${Math.floor((index + 1) / 250)}.${(index + 1) % 250 || 250}`,
    online: true,
    offlineSince: null,
    bootedAt: now - (20 + index * 3) * DAY,
    cpus: 64,
    cpuModel: 'AMD EPYC 7763 64-Core Processor',
    memory: 256 * GIB,
    rootfs: 94 * GIB,
    maintenance: false,
  }
  data.nodes.set(name, node)
  return node
}

export function seedStorages(data: ClusterData): void {
  const storages: Storage[] = [
    {
      id: 'local',
      type: 'dir',
      content: ['iso', 'vztmpl', 'backup'],
      shared: false,
      total: 94 * GIB,
      base: 11 * GIB,
    },
    {
      id: 'local-lvm',
      type: 'lvmthin',
      content: ['images', 'rootdir'],
      shared: false,
      total: 1800 * GIB,
      base: 0,
    },
    {
      id: 'ceph-vm',
      type: 'rbd',
      content: ['images'],
      shared: true,
      total: 12_000 * GIB,
      base: 210 * GIB,
    },
  ]
  for (const storage of storages) data.storages.set(storage.id, storage)
}

export function seedIso(
  data: ClusterData,
  node: string,
  file: string,
  size: number,
  now: number,
): void {
  const volid = `local:iso/${file}`
  const volume = {
    volid,
    storage: 'local',
    node,
    content: 'iso' as const,
    format: 'iso',
    size: Math.round(size),
    ctime: Math.floor(now / 1000) - 86_400 * 90,
  }
  data.volumes.set(volumeKey({ volid, node }), volume)
}

/** Not random: the same cluster each time, except for uuids. */
const seedMac = (vmid: number, card: number) =>
  `BC:24:11:${[vmid >> 8, vmid, card].map((part) => (part & 0xff).toString(16).padStart(2, '0').toUpperCase()).join(':')}`

export type VmSpec = {
  vmid: number
  node: string
  name: string
  storage: string
  diskGiB: number
  cores: number
  memory: number
  ostype?: string
  template?: boolean
  qmp?: QmpStatus
  uptimeDays?: number
  more?: Record<string, string>
  guest?: Partial<Vm['guest']>
  ha?: NonNullable<Vm['ha']>
  pool?: string
}

function configOf(data: ClusterData, spec: VmSpec, disk: string, cloudinit: string, now: number) {
  const created = Math.floor((now - 60 * DAY) / 1000)
  return {
    name: spec.name,
    ostype: spec.ostype ?? 'l26',
    cores: String(spec.cores),
    sockets: '1',
    cpu: 'host',
    memory: String(spec.memory),
    scsihw: 'virtio-scsi-single',
    scsi0: `${disk},discard=on,iothread=1,size=${formatSize(spec.diskGiB * GIB)}`,
    ide2: `${cloudinit},media=cdrom`,
    boot: 'order=scsi0;ide2',
    net0: `virtio=${seedMac(spec.vmid, 0)},bridge=vmbr0,firewall=1`,
    ipconfig0: 'ip=dhcp',
    agent: '1,fstrim_cloned_disks=1',
    serial0: 'socket',
    smbios1: `uuid=${randomUUID()}`,
    vmgenid: randomUUID(),
    meta: `creation-qemu=${traits(data.version).qemu},ctime=${created}`,
    ...(spec.template ? { template: '1' } : {}),
    ...spec.more,
  }
}

const OS_NAMES: [RegExp, string][] = [
  [/ubuntu-22/, 'Ubuntu 22.04.5 LTS'],
  [/ubuntu-25/, 'Ubuntu 25.04'],
  [/windows/, 'Windows Server 2025'],
  [/centos/, 'CentOS Linux 8'],
  [/rocky/, 'Rocky Linux 9.6 (Blue Onyx)'],
]

function seedGuest(spec: VmSpec): Vm['guest'] {
  const os = OS_NAMES.find(([pattern]) => pattern.test(spec.name))?.[1] ?? 'Debian GNU/Linux 12'
  const password = spec.template ? '' : 'hushbox'
  const user = spec.more?.ciuser ?? (spec.ostype?.startsWith('w') ? 'Administrator' : 'root')
  const booted = { user, password }
  return { os, agent: 'alive', ignoresAcpi: false, password, booted, passwords: {}, ...spec.guest }
}

export function seedVm(data: ClusterData, spec: VmSpec, now: number): Vm {
  const { vmid, node } = spec
  const storage = data.storages.get(spec.storage)
  if (!storage) throw new Error(`seed: no storage ${spec.storage}`)
  const prefix = spec.template ? 'base' : 'vm'
  const disk = volumeName(storage, vmid, `${prefix}-${vmid}-disk-0`)
  const cloudinit = volumeName(storage, vmid, `vm-${vmid}-cloudinit`)
  const where = { storage, node, vmid, now: now - 60 * DAY }
  addVolume(data, { ...where, volid: disk, size: spec.diskGiB * GIB })
  addVolume(data, { ...where, volid: cloudinit, size: 4 * 1024 ** 2 })
  const qmp = spec.template ? 'stopped' : (spec.qmp ?? 'running')
  const up = spec.uptimeDays ?? 1 + noise(vmid, 31) * 40
  const vm: Vm = {
    vmid,
    node,
    config: configOf(data, spec, disk, cloudinit, now),
    pending: {},
    qmp,
    pid: qmp === 'stopped' ? 0 : data.nextPid++,
    startedAt: qmp === 'stopped' ? 0 : now - Math.floor(up * DAY),
    createdAt: now - 60 * DAY,
    guest: seedGuest(spec),
    ...(spec.ha ? { ha: spec.ha } : {}),
  }
  data.vms.set(vmid, vm)
  if (spec.pool) data.pools.get(spec.pool)?.vms.push(vmid)
  return vm
}

export function seedRoot(data: ClusterData, password: string): void {
  data.users.set('root@pam', { userid: 'root@pam', password, enable: true, expire: 0 })
  data.tokens.set('root@pam!hushbox', {
    userid: 'root@pam',
    tokenid: 'hushbox',
    secret: randomUUID(),
    privsep: false,
    expire: 0,
    comment: 'the panel',
  })
}

export const newPassword = () => randomBytes(12).toString('base64url')
