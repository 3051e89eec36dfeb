export type TaskView = {
  id: string
  type: string
  by: string
  startedAt: Date
  endedAt: Date | undefined
  outcome: 'done' | 'failed' | 'running'
  message: string | undefined
}

export type OtherHost = {
  host: string
  port: number
  node: string
  pin: { fingerprint: string; pem: string }
}

export type VmTraits = {
  /** The identity PVE gave it, if it has one. */
  uuid: string | undefined
  /** IPv4 addresses that cloud-init gives it. */
  addresses: string[]
  mac: string | undefined
  /** The storages that hold its disks. */
  storages: string[]
  hasCloudInit: boolean
  hasAgent: boolean
  /** If PVE has recorded it: since 7.1. */
  createdAt: Date | undefined
  cores: number | undefined
  memoryMb: number | undefined
  diskBytes: number | undefined
}
