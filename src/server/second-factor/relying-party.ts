import type { Config } from '../config/config.ts'

/** This site, as passkeys know it: its host, origin and name. Browsers sign the first two. */
export type RelyingParty = { id: string; origin: string; name: string }

const IPV4 = /^[\d.]+$/

/**
 * From the configured address alone: a Host header can be anything. Without PUBLIC_URL it is this
 * machine. Undefined where no browser offers passkeys: on a bare IP address, and without https
 * anywhere but on this machine.
 */
export function relyingPartyOf({
  publicUrl,
  port,
  brandName,
}: Pick<Config, 'publicUrl' | 'port' | 'brandName'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl ?? `http://localhost:${port}`)
  if (IPV4.test(hostname) || hostname.startsWith('[')) return undefined
  if (protocol !== 'https:' && hostname !== 'localhost') return undefined
  return { id: hostname, origin, name: brandName }
}
