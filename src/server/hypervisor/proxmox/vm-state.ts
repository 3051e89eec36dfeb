import type { VmState } from '../port/hypervisor.ts'

const PAUSED = new Set(['paused', 'prelaunch', 'suspended'])
const BROKEN = new Set(['io-error', 'internal-error', 'guest-panicked'])

/**
 * One state for what PVE spreads over status, qmpstatus and lock (facts §9). `status` may be either
 * of the first two: the resource list already holds the qmpstatus there.
 */
export function vmState(vm: {
  status: string | undefined
  qmpstatus?: string | undefined
  lock?: string | undefined
}): VmState {
  const { status = 'unknown', lock } = vm
  const detail = vm.qmpstatus ?? status
  if (status === 'unknown') return 'unknown'
  if (status === 'stopped' && lock === 'suspended') return 'suspended'
  if (BROKEN.has(detail)) return 'error'
  if (lock !== undefined) return 'busy'
  if (status === 'stopped') return 'stopped'
  return PAUSED.has(detail) ? 'paused' : 'running'
}
