import { type Args, type Input, pathOf, searchOf, UNATTENDED } from '#shared/api/parts/request.ts'
import type { ResponseOf, Route } from '#shared/api/parts/route.ts'
import { errorFrom, noAnswer } from './api-error.ts'
import { underOneKey } from './press.ts'
import { isMended } from './proof.ts'

/** Longer than any of our calls should take; slow work is a job, whose call answers at once. */
const TIMEOUT_MS = 30_000
/** Until then the page is still opening, which is a person's doing. */
const OPENING_MS = 60_000

/** One call of the route table. Fails with an `ApiError`, never with anything else. */
export function call<R extends Route>(route: R, ...[input]: Args<R>): Promise<ResponseOf<R>> {
  return send(route, input) as Promise<ResponseOf<R>>
}

/** A call that needs a recent code of the second factor is sent again once it was entered. */
export async function send(route: Route, input: Input = {}, signal?: AbortSignal) {
  try {
    return await sendPress(route, input, signal)
  } catch (error) {
    if (await isMended(error)) return await sendPress(route, input, signal)
    throw error
  }
}

async function sendPress(route: Route, input: Input, signal?: AbortSignal) {
  if (!route.idempotent) return await sendOnce(route, input, { signal })
  return await underOneKey(route, input, (key) => sendOnce(route, input, { key }))
}

type Sending = { signal?: AbortSignal | undefined; key?: string }

async function sendOnce(route: Route, input: Input, sending: Sending): Promise<unknown> {
  const response = await fetchAnswer(route, input, sending)
  const text = await response.text().catch(() => {
    throw noAnswer()
  })
  if (!response.ok) throw errorFrom(response.status, response.statusText, text)
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw errorFrom(response.status, response.statusText, 'not an answer of this application')
  }
}

/**
 * True for a call that the page makes by itself: it opened long ago, and its last press or key was
 * some seconds ago. Where the browser has no `userActivation`, every call counts as a person's.
 */
const isUnattended = () =>
  performance.now() > OPENING_MS && navigator.userActivation?.isActive === false

async function fetchAnswer(
  route: Route,
  input: Input,
  { signal, key }: Sending,
): Promise<Response> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS)
  const hasBody = input.body !== undefined
  try {
    return await fetch(pathOf(route, input) + searchOf(input.query), {
      method: route.method,
      headers: {
        ...(isUnattended() && { [UNATTENDED]: '1' }),
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(hasBody && { body: JSON.stringify(input.body) }),
      // Signing out and closing the page still signs out. (Browsers limit the bodies of such
      // requests.)
      keepalive: route.method !== 'GET' && !hasBody,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
  } catch (error) {
    // A cancelled query is not a failure.
    if (signal?.aborted) throw error
    throw noAnswer()
  }
}
