import type { ProxmoxClient } from '#proxmox/client.ts'
import type { Clock } from '#proxmox/transport/clock.ts'
import { isProxmoxError } from '#proxmox/wire/errors.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'

const FRESH_MS = MINUTE_MS

/** Quorum changes rarely and costs its own request: read once a minute beside the inventory. */
export function quorumWatch(client: ProxmoxClient, clock: Clock) {
  let known: { at: number; isQuorate: boolean | undefined } | undefined
  return {
    /** Undefined if the credentials may not ask, or the cluster did not answer. */
    async isQuorate(): Promise<boolean | undefined> {
      if (known && clock.now() - known.at < FRESH_MS) return known.isQuorate
      let isQuorate: boolean | undefined
      try {
        ;({ isQuorate } = await client.cluster.status())
      } catch (error) {
        if (!isProxmoxError(error)) throw error
      }
      known = { at: clock.now(), isQuorate }
      return isQuorate
    },
  }
}
