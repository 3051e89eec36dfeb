/** The data of a simulated cluster: plain values only, so that it can be written to a file. */

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
  /** Network cards in it; empty: none, as of a bridge for guests among themselves. */
  ports: string
  isVlanAware: boolean
}

export type Node = {
  name: string
  nodeid: number
  ip: string
  online: boolean
  /** When it went away (ms); its last broadcast is believed for five minutes after that. */
  offlineSince: number | null
  bootedAt: number
  cpus: number
  cpuModel: string
  memory: number
  rootfs: number
  maintenance: boolean
  /** Absent: the usual two, see vm/bridges.ts. */
  bridges?: Bridge[]
}

export type Storage = {
  id: string
  type: 'dir' | 'lvmthin' | 'nfs' | 'rbd' | 'zfspool'
  content: string[]
  shared: boolean
  /** Bytes per node, or of the whole when shared. */
  total: number
  /** Used by things that are no VM disks. */
  base: number
  /** Nodes that have it; undefined is all of them. */
  nodes?: string[]
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
}

/** What the software inside the VM does, as far as the outside can see it. */
type Guest = {
  /** As it calls itself. */
  os: string
  /** 'none': no agent installed; 'unsupported': an agent too old for the command. */
  agent: 'alive' | 'none' | 'unsupported'
  /** An image without acpid never notices the power button. */
  ignoresAcpi: boolean
  /** Hears every request to shut down, by button or by agent, and never does. */
  hangs?: boolean
  /** Plain cloud-init password; PVE hands it to the guest and only ever shows stars. */
  password: string
  /** What cloud-init found at the last boot: later changes wait for the next. */
  booted: { user: string; password: string }
  /** Set by the agent; wins over cloud-init's. */
  passwords: Record<string, string>
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
  /** When the guest was last reset, which makes it boot again in the same process. */
  resetAt?: number
  createdAt: number
  /** Its next stop is taken for a reboot: it is started again. */
  rebootRequested?: boolean
  guest: Guest
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

/** What a task does, by name, so that a task cut short by a restart can be taken up again. */
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
  /** Injected by the switchboard: the task ends with this error instead of its effect. */
  fault?: string
  /** Injected as well: the worker dies before it has done anything, and leaves all locks. */
  dies?: boolean
  /** Set by tests: told to stop, the worker does not, and is killed. */
  ignoresSignals?: boolean
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
  /** Signs tickets; kept, so that a ticket survives a restart as it would on a cluster. */
  ticketKey: string
  clusterId: string
}

export type TlsMaterial = { caKey: string; caPem: string; leafKey: string; leafPem: string }
