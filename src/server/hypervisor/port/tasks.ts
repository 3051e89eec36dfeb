/**
 * Names a VM. The node is only a hint: VMs move. With a marker, the VM's own config must carry it,
 * because ids are reused and this id may belong to another VM by now. For a VM that we did not
 * make, its own identity serves the same purpose.
 */
export type VmAddress = {
  vmId: number
  node?: string | undefined
  marker?: string | undefined
  uuid?: string | undefined
}

export type TaskOptions = {
  /**
   * Called with the task's id as soon as it is known, before waiting: store it to find the task
   * again.
   */
  onTask?: (task: string) => Promise<void> | void
  /** 0 to 1, if the task reports it. */
  onProgress?: (fraction: number) => void
  signal?: AbortSignal
}
