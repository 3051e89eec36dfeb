import type { Caller, CallOptions } from '../transport/call.ts'
import { nothing } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'
import { ProxmoxError } from '../wire/errors.ts'
import {
  type GuestInterface,
  GuestInterfaces,
  readGuestInterfaces,
  type VmRef,
} from './vm-answers.ts'

export function agentCalls(call: Caller, { slowMs }: { slowMs: number }) {
  return {
    /** The addresses that the guest reports; fails with `agent-unavailable` while it boots. */
    async guestInterfaces(vm: VmRef, options?: CallOptions): Promise<GuestInterface[]> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/agent/network-get-interfaces`
      const interfaces = readGuestInterfaces(await call.get(at, GuestInterfaces, options))
      if (interfaces) return interfaces
      const failure = { kind: 'agent-unavailable', configured: true } as const
      throw new ProxmoxError(failure, `GET ${at.path}: the guest agent answered with an error`)
    },
    /** Needs VM.GuestAgent.Unrestricted (9.x) or VM.Monitor. PVE waits for the guest. */
    setUserPassword(
      vm: VmRef,
      { username, password }: { username: string; password: string },
      options?: CallOptions,
    ): Promise<undefined> {
      const at = path`/nodes/${vm.node}/qemu/${vm.vmid}/agent/set-user-password`
      const parameters = { username, password }
      return call.send('POST', at, nothing, { deadlineMs: slowMs, ...options, parameters })
    },
  }
}
