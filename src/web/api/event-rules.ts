const FIRST_RETRY_MS = 3_000
const LAST_RETRY_MS = 60_000

/** Doubles, up to a minute. */
export const retryAfter = (failures: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 10), LAST_RETRY_MS)

/** Row ids only grow: an id seen again, after a reconnect, is an old story. */
export function isNews(id: string, lastId: number): boolean {
  const number = Number(id)
  return id === '' || !Number.isFinite(number) || number > lastId
}
