import { holds } from '#proxmox/calls/access.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { parseUpid } from '#proxmox/wire/upid.ts'

/**
 * A clone joins its pool last (facts-3 §3). Until then an account with permissions on the pool gets
 * 403 for it, the same as for another owner's VM. Whether a clone of ours is in progress tells the
 * two apart.
 */
export function clonesUnderWay(client: ProxmoxClient, username: string) {
  const onNode = async (node: string, template?: number): Promise<boolean> => {
    const filter = { source: 'active', type: 'qmclone' } as const
    const tasks = await client.tasks.list(
      node,
      template === undefined ? filter : { ...filter, vmid: template },
    )
    return tasks.some(
      ({ upid, endtime }) => endtime === undefined && parseUpid(upid)?.user === username,
    )
  }

  return {
    onNode,
    /** True also if a node cannot be asked: it may have a clone in progress. */
    async anywhere(): Promise<boolean> {
      for (const { node, status } of await client.nodes.list()) {
        if (status !== 'online') continue
        try {
          if (await onNode(node)) return true
        } catch (error) {
          if (!isProxmoxError(error, 'unreachable')) throw error
          return true
        }
      }
      return false
    },
    /**
     * While we may still create VMs, a hidden VM is not ours: ours would be in the pool on which we
     * have that permission.
     */
    async mayStillMake(): Promise<boolean> {
      const permissions = await client.access.permissions()
      const places = ['/vms', ...permissions.keys()].filter((path) => /^\/(vms$|pool\/)/.test(path))
      return places.some((path) => holds(permissions, path, 'VM.Allocate'))
    },
  }
}

export type ClonesUnderWay = ReturnType<typeof clonesUnderWay>

/** 403 for this very VM: it is hidden from us, or does not exist. */
export const isHiddenVm = (error: unknown, vmId: number): boolean =>
  isProxmoxError(error) &&
  error.failure.kind === 'forbidden' &&
  error.failure.path === `/vms/${vmId}`
