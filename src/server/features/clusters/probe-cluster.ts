import { AppError } from '#shared/errors.ts'
import { checkAddress } from '../../hypervisor/connect/address-check.ts'
import { type ClusterConnection, certificateOf } from '../../hypervisor/connect/connection.ts'
import type { Diagnosis } from '../../hypervisor/port/hypervisor.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Examined, examine } from './first-settings.ts'

export type Wanted = {
  host: string
  port: number
  username: string
  secret: string
  /** The certificate an admin has confirmed. */
  confirmed: string | undefined
}

export type Probe = Examined & { connection: ClusterConnection; fingerprint: string }

/**
 * Connects as it would be stored, step by step: is the address allowed, is it the certificate the
 * admin has seen, do the credentials work. The first step that fails has its own message, and no
 * credential is sent before the certificate is settled.
 */
export async function probeCluster(
  { config, hypervisors }: Pick<Deps, 'config' | 'hypervisors'>,
  { host, port, username, secret, confirmed }: Wanted,
): Promise<Probe> {
  await checkAddress({ host, port }, { allowsLoopback: config.demo })
  const { fingerprint, pin } = await certificateOf({ host, port }, confirmed)
  const connection = { host, port, username, secret, certificate: pin }
  const hypervisor = hypervisors.probe(connection)
  try {
    const examined = await examine(hypervisor, await hypervisor.listInventory())
    return { ...examined, connection, fingerprint }
  } finally {
    await hypervisor.close()
  }
}

/** A cluster on which we could not work is not connected. */
export function requireRights(diagnosis: Diagnosis): void {
  const [first, ...others] = diagnosis.missing
  if (!first) return
  const rest = others.length === 0 ? '' : ` and rights in ${others.length} more places`
  const what = `${first.privileges.join(', ')} on ${first.path} (${first.why})`
  throw new AppError('CLUSTER_REFUSED', `The account lacks ${what}${rest}.`, { details: diagnosis })
}
