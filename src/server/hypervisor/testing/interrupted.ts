import type { Sim } from '#pve-sim/sim.ts'
import { AppError } from '#shared/errors.ts'

type Dying = {
  act: () => Promise<void>
  afterRequests: number
  /** Ends the connection, as the end of our process would. */
  close: () => Promise<void>
  reconnect: () => void
}

/**
 * Our process dies once the cluster has answered so many requests. False if the act was done before
 * that.
 */
export async function interrupted(
  { requests }: Pick<Sim, 'requests'>,
  { act, afterRequests, close, reconnect }: Dying,
): Promise<boolean> {
  let left = afterRequests
  const { push } = requests
  requests.push = (...entries) => {
    left -= entries.length
    if (left === 0) void close()
    return push.apply(requests, entries)
  }
  try {
    await act()
    return false
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return true
  } finally {
    requests.push = push
    await close()
    reconnect()
  }
}
