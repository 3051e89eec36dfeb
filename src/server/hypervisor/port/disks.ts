/** What the cluster takes a VM for. */
export type SystemKind = {
  /** Of the system on its disk: `l26`, `win11`. */
  ostype: string
  /** Its type and version; empty where the cluster chooses. A VM that becomes Windows gets one. */
  machine: string
}

export type BootDisk = {
  /** Where it is attached: `scsi0`. */
  slot: string
  /** As the cluster names it, here and below: `local-lvm:vm-500-disk-0`. */
  volume: string
  sizeGb: number
  system: SystemKind
  /** Disks of this VM that are attached nowhere. */
  spare: string[]
}

export type DiskOrder = {
  /** Its boot disk is copied. */
  template: { vmId: number; node?: string | undefined }
  /** The volume to be replaced, from `bootDisk`. */
  old: string
  /**
   * The VM is not taken for what the template is: for those who do not know what it was before, and
   * could not tell `restoreDisk`.
   */
  keepsSystem?: boolean | undefined
  /**
   * Snapshots that may stay: the old disk is then kept as long as one needs it. Any other is
   * refused, because we would not remove the old disk later.
   */
  snapshots?: readonly string[] | undefined
  /** Where the copy goes; the storage of the old disk if not given. */
  storage?: string | undefined
}

export type SpareDisks = {
  /** What `bootDisk` reported before the disk was replaced: these stay. */
  spare?: readonly string[] | undefined
}

export type OldSystem = SpareDisks & {
  /** What `bootDisk` reported; undefined leaves it as it is. */
  system?: SystemKind | undefined
}
