import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts'

/** How long each further try waits after the one before: eight tries within three days. */
const GAPS_MS = [
  MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  30 * HOUR_MS,
]

/** A webhook that has failed for this long is switched off. */
const FAILING_MS = 5 * DAY_MS

/** What replaced a secret is used beside it for this long. */
export const OLD_SECRET_MS = DAY_MS

/** When to try again after so many tries; undefined: not any more. */
export function nextTry(tries: number, now: Date): Date | undefined {
  const gap = GAPS_MS[tries - 1]
  return gap === undefined ? undefined : new Date(now.getTime() + gap)
}

export const OFF_REASONS = ['gone', 'failing'] as const
export type OffReason = (typeof OFF_REASONS)[number]

type Failed = { status: number | undefined; failingSince: Date; now: Date }

/** Why a webhook is switched off after a failed call; undefined: it stays on. */
export function offReason({ status, failingSince, now }: Failed): OffReason | undefined {
  if (status === 410) return 'gone'
  return now.getTime() - failingSince.getTime() >= FAILING_MS ? 'failing' : undefined
}

/** Why nothing is sent to such an address at all, before its name is looked up. */
export function webhookUrlRefusal(
  text: string,
  { isInsideAllowed }: { isInsideAllowed: boolean },
): string | undefined {
  if (!URL.canParse(text)) return 'Please enter a full address: https://…'
  const { protocol, port, username, password } = new URL(text)
  const isPlainAllowed = isInsideAllowed && protocol === 'http:'
  if (protocol !== 'https:' && !isPlainAllowed) return 'The address must begin with https://.'
  if (username !== '' || password !== '') return 'The address must not contain a login.'
  if (port !== '' && !isInsideAllowed) return 'The address must not name another port than 443.'
  return undefined
}
