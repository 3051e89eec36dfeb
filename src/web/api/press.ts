import type { Input } from '#shared/api/parts/request.ts'
import type { Route } from '#shared/api/parts/route.ts'
import { ApiError } from './api-error.ts'

/** After this long, pressing again is a new request. */
const DOUBT_MS = 300_000
/** After a broken connection the retry comes soon and not for long: the user is waiting. */
const LINE = { tries: 2, waitMs: 500, withinMs: 10_000 }
/** After half a minute the server takes over what another process left unfinished. */
const BUSY = { tries: 40, waitMs: 1000 }

/** Keys of presses without an answer: whether they took effect is not known. */
const doubtful = new Map<string, { key: string; at: number }>()

/** 128 random bits. `randomUUID` is missing on a page without TLS, such as an onion address. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

const isLost = (error: unknown): boolean => error instanceof ApiError && error.status === 0

const isInFlight = (error: unknown): boolean =>
  error instanceof ApiError && error.body?.code === 'IN_FLIGHT'

/** No answer, or an answer that leaves the effect unknown. */
const isDoubtful = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500 || isInFlight(error))

/** How long to wait before the next try; undefined where there is none. */
function waitBefore(error: unknown, tries: number, sinceMs: number): number | undefined {
  if (isInFlight(error)) return tries <= BUSY.tries ? BUSY.waitMs : undefined
  const mayTry = isLost(error) && tries <= LINE.tries && sinceMs < LINE.withinMs
  return mayTry ? LINE.waitMs * tries : undefined
}

/**
 * Sends one press of a button under one key: neither an automatic retry nor the same press after a
 * missing answer can take effect twice.
 */
export async function underOneKey<T>(
  route: Pick<Route, 'method' | 'path'>,
  input: Input,
  attempt: (key: string) => Promise<T>,
): Promise<T> {
  const name = JSON.stringify([route.method, route.path, input.params, input.query, input.body])
  const before = doubtful.get(name)
  const start = Date.now()
  const key = before && start - before.at < DOUBT_MS ? before.key : newKey()
  doubtful.delete(name)
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(key)
    } catch (error) {
      const wait = waitBefore(error, tries, Date.now() - start)
      if (wait === undefined) {
        if (isDoubtful(error)) doubtful.set(name, { key, at: start })
        throw error
      }
      await pause(wait)
    }
  }
}

const pause = (ms: number) =>
  new Promise((done) => {
    setTimeout(done, ms)
  })
