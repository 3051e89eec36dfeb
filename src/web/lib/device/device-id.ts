import { remember, remembered } from '../browser/storage.ts'
import { lookAtBrowser, tellsApart } from './fingerprint-trust.ts'
import { sha256 } from './sha256.ts'

const STORED_AS = 'deviceMacAddress'
const FORMAT = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/
/** The collector waits for idle time; a visitor should not wait for the collector. */
const TIMEOUT_MS = 4_000

/** The first 12 hex digits of a hash as colon-separated pairs. */
export const deviceIdFrom = (hash: string): string =>
  (hash.slice(0, 12).toLowerCase().match(/../g) ?? []).join(':')

export const isDeviceId = (value: string | null): value is string => FORMAT.test(value ?? '')

/**
 * Tells devices apart for the "one account per device" rule; it is a quota, not a secret. Where a
 * fingerprint would be shared with other devices, a random id is stored instead.
 */
export async function deviceId(): Promise<string | undefined> {
  const known = remembered(STORED_AS)
  if (isDeviceId(known)) return known
  const id = await makeDeviceId()
  if (id) remember(STORED_AS, id)
  return id
}

async function makeDeviceId(): Promise<string | undefined> {
  try {
    const hash = tellsApart(lookAtBrowser()) ? await fingerprint() : randomHash()
    const id = deviceIdFrom(hash)
    return isDeviceId(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** A collector that fails or times out cannot tell browsers apart. */
async function fingerprint(): Promise<string> {
  try {
    return sha256(await Promise.race([collect(), timeout()]))
  } catch {
    return randomHash()
  }
}

const randomHash = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

async function collect(): Promise<string> {
  const { load } = await import('@fingerprintjs/fingerprintjs')
  // Its monitoring would call a third party.
  const agent = await load({ monitoring: false })
  return (await agent.get()).visitorId
}

const timeout = (): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error('The fingerprint took too long')), TIMEOUT_MS)
  })
