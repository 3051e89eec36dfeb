/** The data of a simulated cluster: plain values only, so that it can be saved to a file. */

export type Version = '7.4' | '8.4' | '9.1'

export type QmpStatus =
  | 'running'
  | 'paused'
  | 'prelaunch'
  | 'io-error'
  | 'internal-error'
  | 'stopped'

export type Bridge = {
  name: string
  /** Its network ports; empty for an internal bridge between guests. */
  ports: string
  isVlanAware: boolean
}

export type Node = {
  name: string
  nodeid: number
  ip: string
  online: boolean
  /** When it went offline (ms); its last broadcast stays valid for five minutes after that. */
  offlineSince: number | null
  bootedAt: number
  cpus: number
  cpuModel: string
  memory: number
  rootfs: number
  maintenance: boolean
  /** Absent: the default two, see vm/bridges.ts. */
  bridges?: Bridge[]
}

export type Storage = {
  id: string
  type: 'dir' | 'lvmthin' | 'nfs' | 'pbs' | 'rbd' | 'zfspool'
  content: string[]
  shared: boolean
  /** Bytes per node, or in total when shared. */
  total: number
  /** Used by content other than VM disks. */
  base: number
  /** Nodes that have it; undefined means all of them. */
  nodes?: string[]
  /** Its own retention: how many archives of a VM `remove` leaves; undefined keeps all. */
  keepLast?: number
}

/** What a backup saves of a VM besides the bytes of its disks. */
export type Archive = {
  config: Record<string, string>
  firewall?: VmFirewall
  guest: Guest
  notes?: string
  isProtected?: boolean
}

export type Volume = {
  volid: string
  storage: string
  /** Where a local volume is; undefined on shared storage. */
  node?: string
  vmid?: number
  content: 'images' | 'iso' | 'backup' | 'vztmpl'
  format: string
  size: number
  ctime: number
  /** The base volume of a linked clone. */
  parent?: string
  /** What was uploaded, in base64. */
  data?: string
  /** Of what was downloaded, whose bytes are not kept. */
  checksum?: string
  /** The system on it, while no VM boots from it. */
  software?: Software
  /** Of a backup. */
  archive?: Archive
}

/**
 * `system`: the sign-in screen of a graphical system, once it has booted, and the firmware's logo
 * until then. For ever: `logo` the firmware's logo, `splash` a firmware's picture that fills the
 * screen, `no-disk` the firmware's text, `one-colour`. `gigantic` is larger than a viewer should read.
 */
export type ScreenKind = 'system' | 'logo' | 'splash' | 'no-disk' | 'one-colour' | 'gigantic'

/** What the system on a disk does, as far as visible from outside. */
export type Software = {
  /** The name it reports. */
  os: string
  /** 'none': no agent installed; 'unsupported': an agent too old for the command. */
  agent: 'alive' | 'none' | 'unsupported'
  /** An image without acpid never notices the power button. */
  ignoresAcpi: boolean
  /** What its screen shows instead of the text console. */
  screen?: ScreenKind
  /** Receives every shutdown request, by button or by agent, and never shuts down. */
  hangs?: boolean
  /** What cloud-init found at the last boot: later changes wait for the next one. */
  booted: { user: string; password: string }
  /** The CD with its settings that cloud-init found in place of Proxmox's own, in base64. */
  seed?: string
  /** Set by the agent; these win over cloud-init's. */
  passwords: Record<string, string>
}

type Guest = Software & {
  /** A steady rate in bytes per second, instead of one that rises and falls. */
  traffic?: { netin: number; netout: number }
  /** The plain cloud-init password; PVE passes it to the guest and only ever shows asterisks. */
  password: string
}

export type Snapshot = {
  name: string
  /** Seconds. */
  snaptime: number
  description: string
  parent?: string
  /** The configuration at that time: its disks cannot be removed before the snapshot is. */
  config: Record<string, string>
  /** With the memory of the VM, which runs again after a rollback. */
  hasMemory?: boolean
  /** Being made or deleted, or left like that by a worker that died. */
  snapstate?: 'prepare' | 'delete'
  /** The system as it was on the disk; absent where a test wrote the snapshot itself. */
  guest?: Guest
}

export type Vm = {
  vmid: number
  node: string
  /** Keys and values exactly as in the configuration file. */
  config: Record<string, string>
  /** Changes waiting for the next cold start; null is a deletion. */
  pending: Record<string, string | null>
  qmp: QmpStatus
  pid: number
  startedAt: number
  /** When it last came from another node while it ran: its process and its counters are new. */
  migratedAt?: number
  /** When its cards counted, oldest first, without the present run. */
  netRuns?: { from: number; to: number }[]
  /** When the guest was last reset, which makes it boot again in the same process. */
  resetAt?: number
  createdAt: number
  /** Its next stop counts as a reboot: it is started again. */
  rebootRequested?: boolean
  guest: Guest
  snapshots?: Snapshot[]
  ha?: { state: 'started' | 'stopped' | 'ignored'; group?: string }
}

export type User = {
  userid: string
  password: string
  enable: boolean
  expire: number
  comment?: string
  tfa?: { totp?: string; recovery?: string[] }
}

export type Token = {
  userid: string
  tokenid: string
  secret: string
  privsep: boolean
  expire: number
  comment?: string
}

export type Acl = {
  path: string
  type: 'user' | 'token'
  ugid: string
  roleid: string
  propagate: boolean
}

export type Pool = { poolid: string; comment?: string; vms: number[]; storages: string[] }

type Realm = { realm: string; type: string; comment?: string; default?: boolean }

/** What a task does, by name, so that a task interrupted by a restart can be resumed. */
export type Job = { name: string; args: Record<string, unknown> }

export type Task = {
  upid: string
  node: string
  pid: number
  pstart: number
  /** Seconds, as in the UPID. */
  starttime: number
  endtime: number | null
  type: string
  id: string
  /** user@realm or user@realm!token */
  authid: string
  exitstatus: string | null
  log: string[]
  job: Job
  /** Injected by the fault board: the task ends with this error and has no effect. */
  fault?: string
  /** Also injected: the worker dies before it has any effect, and leaves all locks. */
  dies?: boolean
  /** Set by tests: the worker ignores the stop signal and is killed. */
  ignoresSignals?: boolean
}

export type FirewallOption = string | number

/** With the keys of the API. */
export type FirewallRule = { type: string; action: string; enable: number; ipversion?: number } & {
  [key in
    | 'comment'
    | 'dest'
    | 'dport'
    | 'icmp-type'
    | 'iface'
    | 'log'
    | 'macro'
    | 'proto'
    | 'source'
    | 'sport']?: string
}

export type IpsetEntry = { cidr: string; nomatch?: 1; comment?: string }

/** The file `<vmid>.fw`, which exists apart from the VM. */
export type VmFirewall = {
  options: Record<string, FirewallOption>
  ipsets: Record<string, { comment?: string; entries: IpsetEntry[] }>
  rules: FirewallRule[]
}

export type ClusterData = {
  name: string
  version: Version
  standalone: boolean
  /** The shape of VNC tickets since April 2026 (password in front, bound to the port). */
  newVncTicket: boolean
  quorate: boolean
  nodes: Map<string, Node>
  vms: Map<number, Vm>
  storages: Map<string, Storage>
  volumes: Map<string, Volume>
  pools: Map<string, Pool>
  users: Map<string, User>
  tokens: Map<string, Token>
  roles: Map<string, string[]>
  acls: Acl[]
  realms: Realm[]
  tasks: Map<string, Task>
  nextPid: number
  /** Signs tickets; stored, so that a ticket survives a restart as on a real cluster. */
  ticketKey: string
  clusterId: string
  /** The datacenter's firewall options; absent: none was ever set, and the firewall is off. */
  firewallOptions?: Record<string, FirewallOption>
  /** The firewall files, by VM id. */
  firewalls?: Map<number, VmFirewall>
}

export type TlsMaterial = { caKey: string; caPem: string; leafKey: string; leafPem: string }
