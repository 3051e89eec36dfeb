import { holds, type Permissions } from '#proxmox/calls/access.ts'
import type { Version } from '#proxmox/calls/version.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import type { GuestPasswords } from '../port/hypervisor.ts'

const FRESH_MS = 5 * MINUTE_MS

type Held = { version: Version; permissions: Permissions; guestPasswords: GuestPasswords }

/** Permissions change rarely: read now and then beside the inventory. */
export function rightsWatch(client: ProxmoxClient, clock: Clock) {
  let known: { at: number; held: Held } | undefined
  return {
    /** Undefined until the cluster has answered. */
    async held(): Promise<Held | undefined> {
      if (known && clock.now() - known.at < FRESH_MS) return known.held
      try {
        const isNew = await client.version.supports('guest-agent-privileges')
        const privilege = isNew ? 'VM.GuestAgent.Unrestricted' : 'VM.Monitor'
        const permissions = await client.access.permissions()
        const guestPasswords = where(permissions, privilege)
        const version = await client.version.get()
        known = { at: clock.now(), held: { version, permissions, guestPasswords } }
      } catch (error) {
        if (!isProxmoxError(error)) throw error
      }
      return known?.held
    },
  }
}

/** PVE lists every member of a pool on which the account has permissions. */
function where(permissions: Permissions, privilege: string): GuestPasswords {
  const vmIds = [...permissions.keys()].flatMap((path) => {
    const [vmId] = /(?<=^\/vms\/)\d+$/.exec(path) ?? []
    return vmId !== undefined && holds(permissions, path, privilege) ? [Number(vmId)] : []
  })
  return { isEverywhere: holds(permissions, '/vms', privilege), vmIds: new Set(vmIds) }
}
