import type { Duplex } from 'node:stream'
import type { PictureFacts } from '../../rfb/picture-facts.ts'
import type { BackupActs } from './backups.ts'
import type { CdActs } from './cds.ts'
import type { BootDisk, DiskOrder, OldSystem, SpareDisks } from './disks.ts'
import type { FirewallActs } from './firewall.ts'
import type { Seed, SeedStore } from './seed.ts'
import type { SnapshotActs } from './snapshots.ts'
import type { TaskOptions, VmAddress } from './tasks.ts'
import type { OtherHost, TaskView, VmTraits } from './views.ts'

export type { TaskOptions, VmAddress } from './tasks.ts'

/**
 * What we ask of a cluster, in our terms. Every function fails with an AppError that says what to
 * do; `unknown` and `missing` are never reported as `stopped`.
 */
export type Hypervisor = SnapshotActs &
  BackupActs &
  CdActs &
  FirewallActs & {
    /** Everything in the cluster, in one request. */
    listInventory(): Promise<Inventory>
    /** One VM, asked live. Fails with VM_MISSING if the cluster answered and has no such VM. */
    vm(vm: VmAddress): Promise<LiveVm>
    /** Acts and waits for the effect. Succeeds if the VM is already in that state. */
    power(vm: VmAddress, act: PowerAct, options?: TaskOptions): Promise<LiveVm>
    config(vm: VmAddress): Promise<VmSettings>
    /** All of the configuration as the cluster stores it, without secrets. */
    rawConfig(vm: VmAddress): Promise<{ key: string; value: string }[]>
    /**
     * Sends only what differs; with `digest` it fails with CHANGED_MEANWHILE instead of overwriting.
     */
    setConfig(vm: VmAddress, changes: VmSettingsChange): Promise<VmSettings>
    /** Makes exactly one VM, however often it is called with the same marker and id. */
    clone(order: CloneOrder, options?: TaskOptions): Promise<ClonedVm>
    /** Sets name, size, network and first user of a VM we made. */
    prepare(vm: VmAddress, setup: GuestSetup, options?: TaskOptions): Promise<void>
    /**
     * Limits the first card to so many Mbit/s in each direction, at once also while it runs; null
     * takes the limit away. Sends nothing if it is so already.
     */
    setRate(vm: VmAddress, rateMbit: number | null): Promise<void>
    /** Grows the boot disk to at least this size; never shrinks it. */
    resize(vm: VmAddress, diskGb: number, options?: TaskOptions): Promise<void>
    bootDisk(vm: VmAddress): Promise<BootDisk>
    /**
     * Gives a stopped VM a copy of a template's boot disk in place of its own, which it keeps aside.
     * It is then taken for what the template is, so prepare it afterwards: that decides how a
     * password is stored. All else stays: id, network cards, firewall, pool, EFI and TPM disks. The
     * template must be on the VM's node, which the inventory shows. Does nothing if the VM no longer
     * boots from `old`.
     */
    replaceDisk(vm: VmAddress, order: DiskOrder, options?: TaskOptions): Promise<{ volume: string }>
    /** Makes a stopped VM boot from `old` again, and removes what replaced it. */
    restoreDisk(vm: VmAddress, old: string, options?: OldSystem & TaskOptions): Promise<void>
    /** Removes the VM's disks that are attached nowhere; only while it boots from `keep`. */
    dropReplacedDisks(
      vm: VmAddress,
      disks: SpareDisks & { keep: string },
      options?: TaskOptions,
    ): Promise<void>
    /** Where an image for this VM can be uploaded. Fails if the account may do so nowhere. */
    seedStore(vm: VmAddress): Promise<{ node: string; storage: string }>
    /** Gives a stopped VM an image with user data for its first start, instead of its own drive. */
    insertSeed(
      vm: VmAddress,
      seed: Seed,
      content: SeedContent,
      options?: TaskOptions,
    ): Promise<void>
    /** Takes it out, puts the VM's own drive back, and deletes it. Succeeds if it is already gone. */
    withdrawSeed(vm: VmAddress | undefined, seed: Seed, options?: TaskOptions): Promise<void>
    /**
     * Destroys only the intended VM: id, marker and identity must agree. A VM that we did not make
     * only if a person has named it. Succeeds if it is already gone.
     */
    destroy(vm: NamedVm | OwnVm, options?: TaskOptions): Promise<void>
    openConsole(vm: VmAddress): Promise<{ stream: Duplex; password: string }>
    /** What is on a running VM's screen, seen once and without disturbing its viewers. */
    lookAtScreen(vm: VmAddress): Promise<PictureFacts>
    /**
     * For the cluster's own console page: its address and its ticket, which are sent to the browser.
     */
    consoleTicket(
      vm: VmAddress,
    ): Promise<{ host: string; port: number; node: string; ticket: string }>
    /**
     * Addresses the guest itself reports on its own NICs; empty while it cannot answer. A caller that
     * `asksAgain` until it does is served before others.
     */
    guestAddresses(vm: VmAddress, options?: { asksAgain?: boolean }): Promise<string[]>
    setGuestPassword(vm: VmAddress, user: { name: string; password: string }): Promise<void>
    metrics(vm: VmAddress, period: MetricsPeriod): Promise<MetricsPoint[]>
    nodeMetrics(node: string, period: MetricsPeriod): Promise<MetricsPoint[]>
    /** Recent tasks of a VM, newest first. */
    tasks(vm: VmAddress): Promise<TaskView[]>
    waitForTask(task: string, options?: TaskOptions): Promise<void>
    /** The permissions the credentials lack, and the commands that grant them. */
    diagnose(scope: DoctorScope): Promise<Diagnosis>
    /** The lowest free VM id from `first` on that is not in `taken`; reserves nothing. */
    freeVmId(range: VmIdRange, taken?: ReadonlySet<number>): Promise<number>
    /** True if the cluster says that no VM has this id; reliable whatever our permissions are. */
    isGone(vmId: number): Promise<boolean>
    /** Finds the other nodes, for when the configured one is unreachable, and uses them. */
    findOtherHosts(): Promise<OtherHost[]>
    /** Addresses of the cluster itself: its nodes, their bridges, their gateways. */
    ownAddresses(): Promise<string[]>
    /** The addresses, disks and creation time in a VM's configuration. */
    traits(vm: VmAddress): Promise<VmTraits>
    /** True if the VM with this id is still the intended one, by its marker or by its identity. */
    isSame(vm: VmAddress): Promise<boolean>
    /** What new VMs can be created with, for the first settings of a cluster. */
    facts(): Promise<ClusterFacts>
    close(): Promise<void>
  }

export type OwnVm = {
  vmId: number
  node?: string | undefined
  marker: string
  uuid?: string | undefined
}

/** A VM without our marker, and the name by which a person asked to destroy it. */
export type NamedVm = { vmId: number; node?: string | undefined; name: string }

const VM_STATES = ['running', 'stopped', 'paused', 'suspended', 'busy', 'error', 'unknown'] as const
export type VmState = (typeof VM_STATES)[number]

export type PowerAct = 'restart' | 'shutdown' | 'start' | 'stop'

export type LiveVm = {
  vmId: number
  node: string
  state: VmState
  lock: string | undefined
  uptime: number
  cpuUsage: number | undefined
  memoryUsed: number | undefined
  memoryTotal: number | undefined
}

export type InventoryVm = LiveVm & {
  name: string
  isTemplate: boolean
  cpuCount: number | undefined
  diskTotal: number | undefined
  tags: string[]
  pool: string | undefined
  /** Bytes to and from it since its process started; undefined where the cluster's list has none. */
  netIn?: number | undefined
  netOut?: number | undefined
}

export type NodeState = 'maintenance' | 'offline' | 'online' | 'unknown'

export type InventoryNode = {
  name: string
  state: NodeState
  cpuUsage: number | undefined
  memoryUsed: number | undefined
  memoryTotal: number | undefined
  /** Space for VM disks reachable from this node, shared storage included. */
  storageUsed: number | undefined
  storageTotal: number | undefined
  vmCount: number
}

/** A storage that can hold VM disks; a shared one is listed once for the whole cluster. */
export type InventoryStorage = {
  name: string
  node: string | undefined
  used: number
  total: number
}

export type Inventory = {
  nodes: InventoryNode[]
  vms: InventoryVm[]
  templates: InventoryVm[]
  storages: InventoryStorage[]
  /** Undefined if the credentials may not ask. */
  isQuorate: boolean | undefined
  /** The VMs in which we may set a password; undefined until the cluster has answered. */
  guestPasswords?: GuestPasswords | undefined
  /** Where user data can be uploaded; undefined until the cluster has answered. */
  seedStores?: readonly SeedStore[] | undefined
  /** Nodes that fetch the images of clients; undefined until the cluster has answered. */
  ownIsoNodes?: ReadonlySet<string> | undefined
}

export type GuestPasswords = { isEverywhere: boolean; vmIds: ReadonlySet<number> }

/** The fields of the configuration screen. */
export type VmSettings = {
  memory: number
  cores: number
  sockets: number
  bios: string
  machine: string
  bootdisk: string
  onboot: boolean
  protection: boolean
  agent: boolean
  balloon: number
  cpu: string
  numa: boolean
  ostype: string
  description: string
  digest: string | undefined
  /** Settings that take effect after a stop and start. */
  pending: string[]
  uuid: string | undefined
}

type Changeable = Omit<VmSettings, 'pending' | 'uuid'>
/** Undefined fields stay unchanged. */
export type VmSettingsChange = { [K in keyof Changeable]?: Changeable[K] | undefined }

export type CloneOrder = {
  template: { vmId: number; node?: string | undefined }
  vmId: number
  marker: string
  name: string
  isFull: boolean
  /** Only for full clones. */
  storage?: string | undefined
  pool?: string | undefined
  targetNode?: string | undefined
}

export type ClonedVm = { vmId: number; node: string; uuid: string | undefined }

export type GuestSetup = {
  name: string
  marker: string
  cores?: number | undefined
  memoryMb?: number | undefined
  network?: GuestNetwork | undefined
  user?: { name: string; password?: string | undefined; sshKeys?: readonly string[] } | undefined
  tags?: readonly string[]
  startsWithNode?: boolean | undefined
}

export type SeedContent = { setup: GuestSetup; userData: string }

export type GuestNetwork = {
  mac?: string | undefined
  bridge?: string | undefined
  vlan?: number | undefined
  /** One of a family at most; each with its prefix: 203.0.113.5/24. */
  addresses: readonly { address: string; gateway: string }[]
  nameservers: readonly string[]
  searchDomain: string
}

export type MetricsPeriod = 'day' | 'hour' | 'month' | 'week' | 'year'

export type MetricsPoint = {
  at: Date
  cpuUsage: number | undefined
  memoryUsed: number | undefined
  memoryTotal: number | undefined
  /** Bytes per second. */
  netIn: number | undefined
  netOut: number | undefined
  diskRead: number | undefined
  diskWrite: number | undefined
}

export type VmIdRange = { first: number; last: number }

export type ClusterFacts = {
  /** Pools in which we may create VMs, and pools whose templates we may clone. */
  pools: string[]
  templatePools: string[]
  /** Bridges of one node that answered, with its own address on each. */
  bridges: { name: string; cidr: string | undefined; gateway: string | undefined }[]
}

export type DoctorScope = {
  pool?: string | undefined
  templatePool?: string | undefined
  /** Empty if the account sees none, so that any could be meant. */
  storages: readonly string[]
  bridges: readonly string[]
  /** True if passwords are to be set in guests. */
  guestAgent?: boolean
}

export type Diagnosis = {
  version: string
  missing: { path: string; privileges: string[]; why: string }[]
  /** Optional privileges, and what is unavailable without them. */
  optional: { path: string; privileges: string[]; why: string; commands: string[] }[]
  /** Commands for the operator to run as root on the cluster; empty if nothing is missing. */
  commands: string[]
}
