import type { SoldConfig } from './snapshots.ts'
import type { TaskOptions, VmAddress } from './tasks.ts'

/** A storage that takes backups, as the account sees it. */
export type BackupStorage = {
  storage: string
  /** As the cluster calls it: `dir`, `nfs`, `pbs`, … */
  type: string
  /** A local one has other archives on every node, and none after a move. */
  isShared: boolean
  /** The nodes that answered and do not have it. */
  missingOn: string[]
  used: number
  total: number
}

export type ArchiveView = {
  volume: string
  /** Our own name of the backup, if it is one of ours. */
  key: string | undefined
  takenAt: Date | undefined
  sizeBytes: number | undefined
  isProtected: boolean
}

/** Which archive is meant: by the volume it was first seen as, and by our name in its notes. */
export type ArchiveRef = { storage: string; volume: string | null; key: string }

/** The VM that an archive is of, if another one gets its disks, and where that one has its own. */
export type OtherVm = { vmId: number; storage?: string | undefined }

/** The part of our port that is about backups. */
export type BackupActs = {
  /** Of every node that answers, each storage once. */
  backupStorages(): Promise<BackupStorage[]>
  /** Where the VM is now, for what is done once at a time on a node. */
  nodeOf(vm: VmAddress): Promise<string>
  archives(vm: VmAddress, storage: string): Promise<ArchiveView[]>
  /**
   * While the VM runs. Succeeds only if the storage lists the archive afterwards; at once if it does
   * already.
   */
  takeBackup(
    vm: VmAddress,
    order: { storage: string; key: string; name: string },
    options?: TaskOptions,
  ): Promise<ArchiveView>
  /** Succeeds if it is already gone. Refused for one that is protected in the cluster. */
  deleteBackup(vm: VmAddress, archive: ArchiveRef, options?: TaskOptions): Promise<void>
  /**
   * Deletes an archive of a VM that may be gone, also a protected one. Succeeds if no node has it, and
   * fails if one cannot tell.
   */
  deleteArchive(vmId: number, archive: ArchiveRef, options?: TaskOptions): Promise<void>
  protectBackup(vm: VmAddress, archive: ArchiveRef, isProtected: boolean): Promise<void>
  /**
   * Replaces the disks of a stopped VM by the archive's. The old ones are deleted first: if it breaks
   * off, the VM has no data. The configuration is the archive's afterwards but for what `sold` says.
   */
  restoreBackup(
    vm: VmAddress,
    order: { archive: ArchiveRef; sold: SoldConfig; of?: OtherVm },
    options?: TaskOptions,
  ): Promise<void>
  /** How large the boot disk in the archive of another VM is, as the node of this VM reads it. */
  archivedDisk(vm: VmAddress, archive: ArchiveRef, of: OtherVm): Promise<{ sizeGb: number }>
  /**
   * Makes a VM ours again that a restore emptied and left like that. Says whether it has a disk to
   * boot from.
   */
  takeBackEmptied(vm: VmAddress, sold: SoldConfig): Promise<{ hasDisk: boolean }>
}
