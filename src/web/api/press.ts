import type { Route } from '#shared/api/route.ts'
import { ApiError } from './api-error.ts'
import type { Input } from './request.ts'

/** After this long a person who presses again means another one. */
const DOUBT_MS = 300_000
const MOST_TRIES = 5
const FIRST_WAIT_MS = 1000

/** Keys of presses that got no answer: whether they had an effect is not known. */
const doubtful = new Map<string, { key: string; at: number }>()

/** 128 random bits. `randomUUID` is missing where a page came without TLS, as over an onion address. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** No answer, or one that says nothing about the effect. */
const isDoubtful = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500 || isInFlight(error))

const isInFlight = (error: unknown): boolean =>
  error instanceof ApiError && error.body?.code === 'IN_FLIGHT'

/** Worth another try by itself: the line broke, or the first try is still being worked on. */
const isWorthATry = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || isInFlight(error))

/**
 * Sends one press of a button under one key: tries that follow by themselves cannot do it twice, and
 * neither can the same press again after no answer came.
 */
export async function underOneKey<T>(
  route: Pick<Route, 'method' | 'path'>,
  input: Input,
  attempt: (key: string) => Promise<T>,
): Promise<T> {
  const name = JSON.stringify([route.method, route.path, input.params, input.query, input.body])
  const before = doubtful.get(name)
  const now = Date.now()
  const key = before && now - before.at < DOUBT_MS ? before.key : newKey()
  doubtful.delete(name)
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(key)
    } catch (error) {
      if (isWorthATry(error) && tries < MOST_TRIES) {
        await pause(FIRST_WAIT_MS * tries)
        continue
      }
      if (isDoubtful(error)) doubtful.set(name, { key, at: now })
      throw error
    }
  }
}

const pause = (ms: number) =>
  new Promise((done) => {
    setTimeout(done, ms)
  })
