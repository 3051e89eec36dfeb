import type { TaskOptions, VmAddress } from './tasks.ts'

/** The drive that a CD goes into, and what the VM boots from without it. */
export type CdPlan = { slot: string; boot: string | null; bootdisk: string | null }

/** An ISO image in a cluster; a local storage has it on some nodes only. */
export type IsoFile = { volume: string; size: number | null; nodes: string[] | null }

/** A file of one node, or of a storage that this node reaches. */
export type IsoPlace = { node: string; volume: string }

/** An archive of a VM, which may be long gone. */
export type Archive = { vmId: number; volume: string; at: Date | undefined }

/** The part of our port that is about CDs, their images, and archives. */
export type CdActs = {
  /** Changes nothing: store it before anything is changed. */
  planCd(vm: VmAddress): Promise<CdPlan>
  /** Puts an image into the drive of a stopped VM, which then boots from it first. */
  insertCd(vm: VmAddress, plan: CdPlan, volume: string, options?: TaskOptions): Promise<void>
  /** It boots as before from its next start on; what runs now runs on. */
  bootAsBefore(vm: VmAddress, plan: CdPlan, options?: TaskOptions): Promise<void>
  /** Also while it runs. It boots as before then. Succeeds if the image is already out. */
  ejectCd(vm: VmAddress, plan: CdPlan, volume: string, options?: TaskOptions): Promise<void>
  /** Those of the operator: no image that we put there ourselves. */
  isos(): Promise<IsoFile[]>
  /** Where a client's own image can be downloaded to. Fails if the account may do so nowhere. */
  ownIsoStore(vm: VmAddress): Promise<{ node: string; storage: string }>
  /** The node itself fetches it, and keeps it only with this checksum. */
  downloadIso(
    place: IsoPlace,
    source: { url: string; sha256: string },
    options?: TaskOptions,
  ): Promise<void>
  /** Succeeds if it is already gone. */
  removeIso(place: IsoPlace, options?: TaskOptions): Promise<void>
  /** Of one VM id, or all that the account may see. */
  archivesOnCluster(vmId?: number): Promise<Archive[]>
}
