import type { Failure, ProxmoxError } from '../wire/errors.ts'
import type { Clock } from './clock.ts'
import { type HttpHost, httpHost } from './http.ts'
import type { Pin } from './tls.ts'

/** A way into the cluster. `node` is its name in the cluster where known, `pin` its own certificate. */
export type Address = { host: string; port: number; node?: string; pin?: Pin }

export type Host = HttpHost & { readonly address: Address }

export type HostState = { host: string; port: number; failure: Failure | undefined }

/** A host that failed is asked last for this long. */
const COOL_DOWN_MS = 30_000

/**
 * Any node answers for the whole cluster. We stay with the one that last worked and go to the
 * others only when it fails, so that `hosts` is failover, not load balancing.
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
    /** The node's own address where we have it and it is up: a console elsewhere is tunnelled. */
    nearest(node: string): Host | undefined {
      return hosts.find((host) => host.address.node === node && !isDown(host))
    },
    /**
     * The other nodes, as they are now. The first host stays whatever is said: it is the one an
     * operator has entered. One that is known already keeps its connections.
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
