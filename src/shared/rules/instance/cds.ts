import { DAY_MS, MINUTE_MS } from '../time/durations.ts'

export const CD_KINDS = ['iso', 'rescue'] as const
export type CdKind = (typeof CD_KINDS)[number]

/** How long the file of an image of one's own is kept. */
export const OWN_ISO_DAYS = 14
export const MOST_ISO_GIB = 10
/** A CD that was booted once is taken out after this time, whatever runs. */
const ISO_STAYS_MS = DAY_MS

/** Why something else must wait while a CD is in the drive. */
export const cdRefusal = (cd: CdKind | null): string | undefined => {
  if (cd === null) return undefined
  return cd === 'rescue'
    ? 'The server is in rescue. End that first.'
    : 'A CD is in the server. Take it out first.'
}

/** Undefined where the length is not known: the server there does not tell it. */
export function isoSizeRefusal(bytes: number | undefined): string | undefined {
  if (bytes === undefined) {
    return 'The server at that address does not say how large the image is. Use another address.'
  }
  if (bytes === 0) return 'There is an empty file at that address.'
  return bytes > MOST_ISO_GIB * 1024 ** 3
    ? `An image has at most ${MOST_ISO_GIB} GiB. This one has ${Math.ceil(bytes / 1024 ** 3)}.`
    : undefined
}

/** Why an image is not asked for at this address at all, before its name is looked up. */
export function isoUrlRefusal(text: string, { anyPort }: { anyPort: boolean }): string | undefined {
  if (!URL.canParse(text)) return 'Enter the full address of the image: https://…'
  const { protocol, port, username, password } = new URL(text)
  if (protocol !== 'https:') return 'The address must begin with https://.'
  if (username !== '' || password !== '') return 'The address must not contain a login.'
  if (port !== '' && !anyPort) return 'The address must not name another port than 443.'
  return undefined
}

type Booted = { kind: CdKind; bootedAt: Date | null }
type Seen = { state: string; uptime: number }

/** Between the start and the moment the cluster's list shows it. */
const LAG_MS = 2 * MINUTE_MS

/**
 * A CD is booted once: it goes when the server is off, has been started again, or after a day.
 * A rescue lasts until it is ended.
 */
export function isCdOver({ kind, bootedAt }: Booted, seen: Seen | undefined, now: Date): boolean {
  if (kind === 'rescue' || bootedAt === null) return false
  const age = now.getTime() - bootedAt.getTime()
  if (age >= ISO_STAYS_MS) return true
  if (!seen || age < LAG_MS) return false
  if (seen.state === 'stopped') return true
  return seen.state === 'running' && seen.uptime * 1000 < age - LAG_MS
}
