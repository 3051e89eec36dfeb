/** Who asks, as far as limits need to know. */
export type LimitedVisitor = {
  address: string
  /** Came by an onion service: everybody there has the same address, so it says nothing. */
  isOnion: boolean
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/**
 * tor hands its visitors over on this machine. Without the second condition anybody could claim
 * to be one of them by a header.
 */
export const isOnionVisit = (host: string | undefined, address: string): boolean =>
  /^[^:/]+\.onion(:\d+)?$/i.test(host ?? '') && LOOPBACK.test(address)
