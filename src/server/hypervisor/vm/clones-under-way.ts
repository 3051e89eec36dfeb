import { holds } from '#proxmox/calls/access.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { parseUpid } from '#proxmox/wire/upid.ts'

/**
 * A clone joins its pool as its last act (facts-3 §3). Until then an account whose rights are on the
 * pool gets 403 for it, the same as for a VM of somebody else. Whether a clone of ours is at work
 * tells the two apart.
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
    /** A node that cannot be asked may be at it: then the answer is yes. */
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
     * With the right to make VMs still in force, a VM we may not see is none of ours: ours would be
     * where that right is.
     */
    async mayStillMake(): Promise<boolean> {
      const permissions = await client.access.permissions()
      const places = ['/vms', ...permissions.keys()].filter((path) => /^\/(vms$|pool\/)/.test(path))
      return places.some((path) => holds(permissions, path, 'VM.Allocate'))
    },
  }
}

export type ClonesUnderWay = ReturnType<typeof clonesUnderWay>

/** 403 about this very VM: hidden from us, or not there at all. */
export const isHiddenVm = (error: unknown, vmId: number): boolean =>
  isProxmoxError(error) &&
  error.failure.kind === 'forbidden' &&
  error.failure.path === `/vms/${vmId}`
