import type { ParamsOf, ReplyOf, Route } from '#shared/api/parts/route.ts'
import type { Call, Handler } from './handler.ts'

type Answer<R extends Route, Found> = (
  call: Call<R>,
  found: Found,
) => Promise<ReplyOf<R>> | ReplyOf<R>

/**
 * A handler that reads while the database still looks up the caller's session: one wait instead of
 * two in a row. `read` does not know who asks, and changes nothing; `answer` decides what this
 * caller may see of it. For a caller who is refused, what was read is dropped.
 */
export const readAhead = <R extends Route, Found>(
  read: (params: ParamsOf<R>) => Promise<Found>,
  answer: Answer<R, Found>,
): Handler<R> =>
  Object.assign(
    async (call: Call<R>) => answer(call, (await (call.begun ?? read(call.params))) as Found),
    { read },
  )

/** Begins what the handler of a route reads ahead. Input that the route refuses is not read for. */
export function beginner(route: Route, { read }: Handler<Route>) {
  if (read === undefined) return undefined
  return (given: unknown): Promise<unknown> | undefined => {
    const params = route.params?.safeParse(given)
    if (params?.success === false) return undefined
    const begun = read(params?.data)
    // The handler waits for it and hears of a failure. A caller who was refused never asks.
    begun.catch(() => undefined)
    return begun
  }
}
