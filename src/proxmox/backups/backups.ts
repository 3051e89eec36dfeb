import type { VmRef } from '../calls/vm-answers.ts'
import type { Caller, CallOptions } from '../transport/call.ts'
import { type ParameterValue, path } from '../wire/encoding.ts'
import { upidAbout } from '../wire/upid.ts'
import { taskOrNothing } from './answers.ts'
import { archiveCalls } from './archives.ts'

export type BackupWish = {
  storage: string
  /** One line; the listing shows it. */
  notes: string
}

export type RestoreWish = {
  archive: string
  /** Any key but disks: it overrides what the archive says. */
  set: Readonly<Record<string, ParameterValue>>
  /** For the archive of another VM: an identity of its own, and where its disks go. */
  anew?: { storage: string | undefined } | undefined
}

export function backupCalls(call: Caller, deps: { slowMs: number }) {
  const slow = { deadlineMs: deps.slowMs }
  return {
    ...archiveCalls(call, deps),

    /**
     * While the VM runs. Without `remove=0` PVE would delete older ones by the storage's own
     * retention. Undefined if the VM is on another node: then nothing was done.
     */
    begin: (
      { node, vmid }: VmRef,
      { storage, notes }: BackupWish,
      options?: CallOptions,
    ): Promise<string | undefined> =>
      call.send('POST', path`/nodes/${node}/vzdump`, taskOrNothing(vmid), {
        ...slow,
        ...options,
        parameters: {
          vmid,
          storage,
          mode: 'snapshot',
          compress: 'zstd',
          remove: false,
          'notes-template': notes,
        },
      }),

    /** Deletes the disks of the VM before it writes the archive's (facts-2 §0.3). */
    restore: (
      { node, vmid }: VmRef,
      { archive, set, anew }: RestoreWish,
      options?: CallOptions,
    ): Promise<string> =>
      call.send('POST', path`/nodes/${node}/qemu`, upidAbout(vmid), {
        ...slow,
        ...options,
        parameters: {
          ...set,
          vmid,
          archive,
          force: true,
          ...(anew && {
            unique: true,
            ...(anew.storage !== undefined && { storage: anew.storage }),
          }),
        },
      }),
  }
}
