import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import { maybeNumber, maybeText, text } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import { upidAbout } from '../wire/upid.ts'
import { VmConfig, type VmRef } from './vm-answers.ts'

const Snapshot = z.object({
  name: text,
  description: maybeText,
  /** Seconds. */
  snaptime: maybeNumber,
  /** Being made or deleted, or left like that by a worker that died. */
  snapstate: maybeText,
})
type Snapshot = z.output<typeof Snapshot>

/** PVE lists the VM itself among its snapshots. */
const CURRENT = 'current'

export function snapshotCalls(call: Caller, { slowMs }: { slowMs: number }) {
  const slow = { deadlineMs: slowMs }
  const all = (vm: VmRef) => path`/nodes/${vm.node}/qemu/${vm.vmid}/snapshot`
  const one = (vm: VmRef, name: string) => path`/nodes/${vm.node}/qemu/${vm.vmid}/snapshot/${name}`

  return {
    async snapshots(vm: VmRef, options?: CallOptions): Promise<Snapshot[]> {
      const listed = await call.get(all(vm), z.array(Snapshot), options)
      return listed.filter(({ name }) => name !== CURRENT)
    },

    /** By `config`, not by the snapshot's own call, which shows secrets (facts-2 §0.8). */
    snapshotConfig(vm: VmRef, name: string, options?: CallOptions): Promise<VmConfig> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/config`
      return call.get(at, VmConfig, { ...options, parameters: { snapshot: name } })
    },

    /** Without the memory: PVE would allocate twice its size at once. */
    takeSnapshot(
      vm: VmRef,
      { name, description }: { name: string; description: string },
      options?: CallOptions,
    ): Promise<string> {
      const parameters = { snapname: name, description }
      return call.send('POST', all(vm), upidAbout(vm.vmid), { ...slow, ...options, parameters })
    },

    /** By force also where a volume does not have it any more. */
    deleteSnapshot(
      vm: VmRef,
      { name, isForced }: { name: string; isForced?: boolean },
      options?: CallOptions,
    ): Promise<string> {
      const parameters = isForced ? { force: true } : {}
      return call.send('DELETE', one(vm, name), upidAbout(vm.vmid), {
        ...slow,
        ...options,
        parameters,
      })
    },

    /** Stops the VM itself, and brings back the configuration of that time (facts-2 §0.1). */
    rollBack(vm: VmRef, name: string, options?: CallOptions): Promise<string> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/snapshot/${name}/rollback`
      return call.send('POST', at, upidAbout(vm.vmid), { ...slow, ...options })
    },
  }
}
