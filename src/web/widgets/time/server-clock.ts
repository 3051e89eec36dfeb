/** How far the server's clock is ahead of ours, as of an answer that arrived at this moment. */
export function clockOffset(serverTime: string | undefined, receivedAt: number): number {
  const told = serverTime === undefined ? Number.NaN : Date.parse(serverTime)
  return Number.isNaN(told) ? 0 : told - receivedAt
}
