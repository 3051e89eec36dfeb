import type { ProxmoxClient } from './client.ts'
import type { CallOptions } from './transport/call.ts'
import type { Address } from './transport/hosts.ts'
import { inspectCertificate, normaliseFingerprint } from './transport/tls.ts'
import { isProxmoxError } from './wire/errors.ts'

/**
 * Finds the other entry points of the cluster, for failover. The pinned node vouches for their
 * certificates (`ssl_fingerprint` of GET /nodes is what their pveproxy serves), so no person has to
 * confirm them. A node that presents another certificate, or does not answer, is left out.
 */
export async function discoverAddresses(
  client: Pick<ProxmoxClient, 'cluster' | 'nodes'>,
  options: { port: number; inspect?: typeof inspectCertificate } & CallOptions,
): Promise<Address[]> {
  const { port, inspect = inspectCertificate, ...callOptions } = options
  const [status, nodes] = await Promise.all([
    client.cluster.status(callOptions),
    client.nodes.list(callOptions),
  ])
  const vouched = new Map(nodes.map((node) => [node.node, node.ssl_fingerprint]))
  const found = status.nodes.map(async ({ name, ip }): Promise<Address[]> => {
    const expected = vouched.get(name)
    if (ip === undefined || expected === undefined) return []
    try {
      const { fingerprint, pem } = await inspect(ip, port)
      if (fingerprint !== normaliseFingerprint(expected)) return []
      return [{ host: ip, port, node: name, pin: { fingerprint, pem } }]
    } catch (error) {
      if (isProxmoxError(error)) return []
      throw error
    }
  })
  return (await Promise.all(found)).flat()
}
