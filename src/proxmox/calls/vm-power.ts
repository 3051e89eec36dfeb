import type { Caller, CallOptions } from '../transport/call.ts'
import { type Parameters, path } from '../wire/encoding.ts'
import { isProxmoxError } from '../wire/errors.ts'
import { upidAbout } from '../wire/upid.ts'
import type { VersionCalls } from './version.ts'
import type { VmRef } from './vm-answers.ts'

export type PowerAct = 'reboot' | 'reset' | 'resume' | 'shutdown' | 'start' | 'stop' | 'suspend'

const isOverruleRefused = (error: unknown) =>
  isProxmoxError(error) &&
  error.failure.kind === 'invalid' &&
  Object.hasOwn(error.failure.parameters, 'overrule-shutdown')

/**
 * Each returns the UPID of a task. For an HA-managed VM that task only files a request (facts §17).
 */
export function powerCalls(call: Caller, version: VersionCalls) {
  const act = (vm: VmRef, act: PowerAct, parameters: Parameters, options?: CallOptions) =>
    call.send('POST', path`/nodes/${vm.node}/qemu/${vm.vmid}/status/${act}`, upidAbout(vm.vmid), {
      ...options,
      parameters,
    })

  return {
    start: (vm: VmRef, options?: CallOptions) => act(vm, 'start', {}, options),
    /**
     * Hard stop. `overruleShutdown` ends a shutdown that still waits for the guest and would hold
     * the VM's lock; PVE before 8.2 does not support it, there the shutdown task must be cancelled.
     */
    async stop(vm: VmRef, options: CallOptions & { overruleShutdown?: boolean } = {}) {
      const { overruleShutdown, ...rest } = options
      const isKnown = overruleShutdown === true && (await version.supports('overrule-shutdown'))
      if (!isKnown) return act(vm, 'stop', {}, rest)
      try {
        return await act(vm, 'stop', { 'overrule-shutdown': true }, rest)
      } catch (error) {
        // For an HA-managed VM it is "not applicable": the request goes to the HA manager anyway.
        if (!isOverruleRefused(error)) throw error
        return act(vm, 'stop', {}, rest)
      }
    },
    /** By ACPI or guest agent; `forceStop` stops hard if the guest has not shut down in time. */
    shutdown(
      vm: VmRef,
      options: CallOptions & { timeoutSeconds?: number; forceStop?: boolean } = {},
    ) {
      const { timeoutSeconds: timeout, forceStop, ...rest } = options
      return act(vm, 'shutdown', { timeout, forceStop }, rest)
    },
    /** Graceful, and applies pending changes. The VM starts again after the task has ended. */
    reboot(vm: VmRef, options: CallOptions & { timeoutSeconds?: number } = {}) {
      const { timeoutSeconds: timeout, ...rest } = options
      return act(vm, 'reboot', { timeout }, rest)
    },
    reset: (vm: VmRef, options?: CallOptions) => act(vm, 'reset', {}, options),
    /** Pauses; `toDisk` hibernates. */
    suspend(vm: VmRef, options: CallOptions & { toDisk?: boolean } = {}) {
      const { toDisk: todisk, ...rest } = options
      return act(vm, 'suspend', { todisk }, rest)
    },
    resume: (vm: VmRef, options?: CallOptions) => act(vm, 'resume', {}, options),
  }
}
