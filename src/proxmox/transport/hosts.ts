import type { Failure, ProxmoxError } from '../wire/errors.ts'
import type { Clock } from './clock.ts'
import { type HttpHost, httpHost } from './http.ts'
import type { Pin } from './tls.ts'

/**
 * An entry point of the cluster. `node` is its name in the cluster where known, `pin` its own
 * certificate.
 */
export type Address = { host: string; port: number; node?: string; pin?: Pin }

export type Host = HttpHost & { readonly address: Address }

export type HostState = { host: string; port: number; failure: Failure | undefined }

/** For this long after a failure a host is tried last. */
const COOL_DOWN_MS = 30_000

/**
 * Any node answers for the whole cluster. The list stays with the last one that worked and tries
 * others only when it fails: failover, not load balancing.
 */
export function hostList(
  addresses: readonly Address[],
  options: { pin: Pin | undefined; connectMs: number; clock: Clock },
) {
  const { clock, connectMs } = options
  const open = (given: Address): Host => {
    const pin = given.pin ?? options.pin
    const address = pin === undefined ? given : { ...given, pin }
    return { ...httpHost({ ...address, pin }, { connectMs }), address }
  }
  let hosts: Host[] = addresses.map(open)
  const failures = new Map<Host, { failure: Failure; until: number }>()
  let current = hosts[0]

  const isDown = (host: Host) => (failures.get(host)?.until ?? 0) > clock.now()
  const rank = (host: Host) => (isDown(host) ? 2 : 0) + (host === current ? 0 : 1)

  return {
    inOrder: (): Host[] => hosts.toSorted((a, b) => rank(a) - rank(b)),
    /** The node's own address where it is known and up: elsewhere a console is tunnelled. */
    nearest(node: string): Host | undefined {
      return hosts.find((host) => host.address.node === node && !isDown(host))
    },
    /**
     * Replaces the other nodes. The first host always stays: an operator entered it. A host that is
     * already known keeps its connections.
     */
    async update(others: readonly Address[]): Promise<void> {
      const [own, ...before] = hosts
      if (!own) return
      const wanted = others.filter((address) => keyOf(address) !== keyOf(own.address))
      const kept = wanted.map(
        (address) => before.find((host) => keyOf(host.address) === keyOf(address)) ?? open(address),
      )
      hosts = [own, ...kept]
      if (current && !hosts.includes(current)) current = own
      const gone = before.filter((host) => !kept.includes(host))
      for (const host of gone) failures.delete(host)
      await Promise.all(gone.map((host) => host.close()))
    },
    worked(host: Host) {
      failures.delete(host)
      current = host
    },
    failed(host: Host, error: ProxmoxError) {
      failures.set(host, { failure: error.failure, until: clock.now() + COOL_DOWN_MS })
    },
    states: (): HostState[] =>
      hosts.map((host) => ({
        host: host.address.host,
        port: host.address.port,
        failure: failures.get(host)?.failure,
      })),
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()))
    },
  }
}

/** Two addresses are the same host if host, port and pinned certificate are equal. */
const keyOf = ({ host, port, pin }: Address): string =>
  JSON.stringify([host, port, pin?.fingerprint])

export type HostList = ReturnType<typeof hostList>
