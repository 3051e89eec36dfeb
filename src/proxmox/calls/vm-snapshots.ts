import { z } from 'zod'
import type { Caller, CallOptions } from '../transport/call.ts'
import { text } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import type { VmRef } from './vm-answers.ts'

const Snapshot = z.object({ name: text })
type Snapshot = z.output<typeof Snapshot>

/** PVE lists the VM itself among its snapshots. */
const CURRENT = 'current'

export function snapshotCalls(call: Caller) {
  return {
    async snapshots(vm: VmRef, options?: CallOptions): Promise<Snapshot[]> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/snapshot`
      const listed = await call.get(at, z.array(Snapshot), options)
      return listed.filter(({ name }) => name !== CURRENT)
    },
  }
}
