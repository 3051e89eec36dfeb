import { sha256 } from './sha256.ts'
import { remember, remembered } from './storage.ts'

const STORED_AS = 'deviceMacAddress'
const FORMAT = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/
/** The collector waits for idle time; a visitor should not wait for the collector. */
const PATIENCE_MS = 4_000

/** The first 12 hex digits of a hash as colon-separated pairs. */
export const deviceIdFrom = (hash: string): string =>
  (hash.slice(0, 12).toLowerCase().match(/../g) ?? []).join(':')

export const isDeviceId = (value: string | null): value is string => FORMAT.test(value ?? '')

/**
 * Tells one device from another for the "one account per device" rule; it is a quota, not a
 * secret. Undefined where the browser lets us compute nothing at all.
 */
export async function deviceId(): Promise<string | undefined> {
  const known = remembered(STORED_AS)
  if (isDeviceId(known)) return known
  const id = await computeDeviceId()
  if (id) remember(STORED_AS, id)
  return id
}

async function computeDeviceId(): Promise<string | undefined> {
  try {
    const id = deviceIdFrom(sha256(await fingerprint()))
    return isDeviceId(id) ? id : undefined
  } catch {
    return undefined
  }
}

async function fingerprint(): Promise<string> {
  try {
    return await Promise.race([collect(), giveUp()])
  } catch {
    return plainTraits()
  }
}

async function collect(): Promise<string> {
  const { load } = await import('@fingerprintjs/fingerprintjs')
  // Its monitoring would call a third party.
  const agent = await load({ monitoring: false })
  return (await agent.get()).visitorId
}

const giveUp = (): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error('The fingerprint took too long')), PATIENCE_MS)
  })

/** What a browser tells even with canvas, WebGL and storage blocked. */
function plainTraits(): string {
  const { userAgent, language, hardwareConcurrency, maxTouchPoints } = navigator
  const { width, height, colorDepth } = screen
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const traits = [userAgent, language, hardwareConcurrency, maxTouchPoints, zone]
  return JSON.stringify([...traits, width, height, colorDepth, devicePixelRatio])
}
