import type { ProxmoxClient } from '#proxmox/client.ts'
import { discoverAddresses } from '#proxmox/discover.ts'
import { AppError } from '#shared/errors.ts'
import type { OtherHost } from '../port/views.ts'
import { checkAddress } from './address-check.ts'

/**
 * The other nodes of the cluster, each with the certificate that the trusted node vouches for.
 * Addresses that a cluster names pass the same address check.
 */
export async function findOtherHosts(
  client: ProxmoxClient,
  own: { port: number; allowsLoopback: boolean },
): Promise<OtherHost[]> {
  const found = await discoverAddresses(client, { port: own.port })
  const allowed: OtherHost[] = []
  for (const { host, port, node, pin } of found) {
    if (node === undefined || pin === undefined) continue
    try {
      await checkAddress({ host, port }, own)
      allowed.push({ host, port, node, pin })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  await client.learnHosts(allowed)
  return allowed
}
