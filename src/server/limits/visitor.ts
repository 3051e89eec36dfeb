/** A visitor, as far as limits need to know. */
export type LimitedVisitor = {
  address: string
  /** Came over an onion service: every visitor there has the same address, so it says nothing. */
  isOnion: boolean
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/**
 * tor connects from this machine. Without the second condition any visitor could claim to come over
 * tor by a header.
 */
export const isOnionVisit = (host: string | undefined, address: string): boolean =>
  /^[^:/]+\.onion(:\d+)?$/i.test(host ?? '') && LOOPBACK.test(address)
