import type { TaskOptions, VmAddress } from './tasks.ts'

type VmSnapshot = {
  /** As the cluster names it. */
  name: string
  description: string
  takenAt: Date | undefined
  /** False while it is being made or deleted, and if that was interrupted. */
  isWhole: boolean
}

/** The snapshots of a VM, and whether there is room for another one. */
export type SnapshotView = {
  snapshots: VmSnapshot[]
  /** The volume that the VM boots from. */
  volume: string
  /** Of the storage of that volume; undefined if the account does not see it. */
  room: { storage: string; used: number; total: number } | undefined
  /** True if the storage can go back only to the newest snapshot. */
  onlyNewest: boolean
}

/** What is sold of a VM: its size, network, name and user, as the cluster stores them. */
export type SoldConfig = { values: Record<string, string> }

/** The part of our port that is about snapshots. */
export type SnapshotActs = {
  snapshots(vm: VmAddress): Promise<SnapshotView>
  /**
   * Without the memory. Refused if the storage is nearly full. Succeeds if there is one of this
   * name.
   */
  takeSnapshot(
    vm: VmAddress,
    snapshot: { name: string; description: string },
    options?: TaskOptions,
  ): Promise<{ volume: string }>
  /** Succeeds if it is already gone. */
  deleteSnapshot(vm: VmAddress, name: string, options?: TaskOptions): Promise<void>
  /** Stops the VM. Its configuration is the former one afterwards: apply the sold one again. */
  rollBackTo(vm: VmAddress, name: string, options?: TaskOptions): Promise<void>
  soldConfig(vm: VmAddress): Promise<SoldConfig>
  applySoldConfig(vm: VmAddress, config: SoldConfig, options?: TaskOptions): Promise<void>
  /** Removes a disk that is attached nowhere, unless a snapshot needs it. */
  dropSpareDisk(vm: VmAddress, volume: string, options?: TaskOptions): Promise<void>
}
