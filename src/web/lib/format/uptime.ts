const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Days, hours and minutes: 93784 → "1d 2h 3m". Undefined for a machine that is off. */
export function uptimeWords(seconds: number | null): string | undefined {
  if (seconds === null || seconds <= 0) return undefined
  const days = Math.floor(seconds / DAY)
  const hours = Math.floor((seconds % DAY) / HOUR)
  const minutes = Math.floor((seconds % HOUR) / MINUTE)
  if (days > 0) return `${days}d ${hours}h ${minutes}m`
  return hours > 0 ? `${hours}h ${minutes}m` : `${minutes}m`
}

/**
 * A running server is never called offline, not even in its first minute; nor is one in an unknown
 * state.
 */
export function uptimeOf({ status, uptime }: { status: string; uptime: number }): string {
  if (status === 'running') return uptimeWords(uptime) ?? 'Just started'
  return status === 'unknown' ? 'Not known' : 'Offline'
}
