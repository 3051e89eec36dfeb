import type { VmConfig } from '#proxmox/calls/vm-answers.ts'

/**
 * What a restore leaves when it breaks off: Proxmox writes this configuration before it writes the
 * first byte (facts-2 §5). It has no description, so our marker is gone; only a VM that we were restoring
 * is taken for ours in this state.
 */
export function isEmptied({ values }: VmConfig): boolean {
  const keys = Object.keys(values).filter((key) => !/^(unused\d+|lock|digest)$/.test(key))
  return keys.length === 1 && values.memory === '128'
}
