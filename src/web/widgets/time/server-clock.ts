/**
 * How far the server's clock is ahead of the browser's, by an answer that arrived at this moment.
 */
export function clockOffset(serverTime: string | undefined, receivedAt: number): number {
  const told = serverTime === undefined ? Number.NaN : Date.parse(serverTime)
  return Number.isNaN(told) ? 0 : told - receivedAt
}
