import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const inside = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  inside.addSubnet(network, prefix, 'ipv4')
}
inside.addSubnet('fc00::', 7, 'ipv6')

/** Of a private network, and of the address space that providers share among clients. */
export const isInside = (address: string): boolean =>
  inside.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

type Guard = {
  /** Why nothing connects to this address; undefined if it may. */
  refusalOf: (address: string) => string | undefined
  fail: (message: string) => Error
}

/**
 * Judges every address that a name leads to when the connection is made, so that a name that changes
 * later leads nowhere else.
 */
export const guardedLookup =
  ({ refusalOf, fail }: Guard): LookupFunction =>
  (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const refusal = found?.map(({ address }) => refusalOf(address)).find(Boolean)
      const [first] = found ?? []
      const failure = error ?? (refusal === undefined ? null : fail(refusal))
      if (failure !== null || !first) return done(failure ?? fail('The name leads nowhere.'), '')
      return options.all ? done(null, found) : done(null, first.address, first.family)
    })
  }
