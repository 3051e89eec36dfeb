import type { ClusterCalls, Resource } from './calls/cluster.ts'
import type { QemuCalls } from './calls/qemu.ts'
import type { VmConfig, VmRef } from './calls/vm-answers.ts'
import type { CallOptions } from './transport/call.ts'
import { isProxmoxError } from './wire/errors.ts'

/** How a lost answer is resolved: by looking for what the call would have created (decision P3). */
export type Marked = VmRef & { config: VmConfig }

/** A marker is a whole word in the description, or a tag. */
export function hasMarker(config: VmConfig, marker: string): boolean {
  const words = (config.values.description ?? '').split(/\s+/)
  const tags = (config.values.tags ?? '').split(/[;, ]+/)
  return words.includes(marker) || tags.includes(marker.toLowerCase())
}

export function findCalls({ cluster, qemu }: { cluster: ClusterCalls; qemu: QemuCalls }) {
  /** `/cluster/resources` knows every VM's node but not its description. */
  const locate = async (vmid: number, options?: CallOptions): Promise<VmRef | undefined> => {
    const resources = await cluster.resources({ ...options, type: 'vm' })
    const found = resources.find((entry) => entry.type === 'qemu' && entry.vmid === vmid)
    return found?.node === undefined ? undefined : { node: found.node, vmid }
  }

  const configOf = async (vm: VmRef, options?: CallOptions): Promise<VmConfig | undefined> => {
    try {
      return await qemu.config(vm, options)
    } catch (error) {
      if (isProxmoxError(error, 'not-found')) return undefined
      throw error
    }
  }

  return {
    locate,
    /**
     * The VM that carries the marker. `near` (a VM id, and the node it should be on) is read first
     * and live, because a fresh clone reaches the resource list only seconds later. Then come VMs
     * with the tag, then every VM's config: slow, but absence is never inferred from less.
     */
    async byMarker(
      marker: string,
      near?: VmRef,
      options?: CallOptions,
    ): Promise<Marked | undefined> {
      const here = near && (await configOf(near, options))
      if (near && here && hasMarker(here, marker)) return { ...near, config: here }
      const resources = await cluster.resources({ ...options, type: 'vm' })
      const isTagged = (entry: Resource) => entry.tags.includes(marker.toLowerCase())
      for (const entry of resources.toSorted((a, b) => Number(isTagged(b)) - Number(isTagged(a)))) {
        if (entry.type !== 'qemu' || entry.node === undefined || entry.vmid === undefined) continue
        const vm = { node: entry.node, vmid: entry.vmid }
        const config = await configOf(vm, options)
        if (config && hasMarker(config, marker)) return { ...vm, config }
      }
      return undefined
    },
  }
}
