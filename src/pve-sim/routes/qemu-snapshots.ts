import { route } from '../http/route.ts'
import { isRunning } from '../metrics/stats.ts'
import { digest } from '../vm/vm-config.ts'
import { onVm, VM_PARAMS, vmOf } from './shared.ts'

/** Only the list: a VM of a test may have snapshots, nothing here makes or removes one. */
export const qemuSnapshotRoutes = [
  route('GET /nodes/{node}/qemu/{vmid}/snapshot', {
    permissions: onVm('VM.Audit'),
    proxied: true,
    params: VM_PARAMS,
    handle: (call) => {
      const vm = vmOf(call)
      const { parent } = vm.config
      const current = {
        name: 'current',
        description: 'You are here!',
        digest: digest(vm),
        running: isRunning(vm) ? 1 : 0,
        ...(parent ? { parent } : {}),
      }
      const taken = (vm.snapshots ?? []).map(({ config: _, ...snapshot }) => ({
        ...snapshot,
        vmstate: 0,
      }))
      return [...taken, current]
    },
  }),
]
