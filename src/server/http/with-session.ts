import type { ParamsOf, ReplyOf, Route } from '#shared/api/parts/route.ts'
import type { Look, WithRow } from '../sessions/sessions.ts'
import type { Call, Handler } from './handler.ts'

type Reads<R extends Route, Row> = {
  /** Finds the session and reads, in one question. Undefined without a session. */
  withSession(token: string, params: ParamsOf<R>, look: Look): Promise<WithRow<Row> | undefined>
  /** For a caller without a session: a program by its key. */
  alone(params: ParamsOf<R>): Promise<Row>
}

type Answer<R extends Route, Row> = (call: Call<R>, row: Row) => Promise<ReplyOf<R>> | ReplyOf<R>

/**
 * A handler whose row is read with the caller's session: one round trip to the database instead of
 * two. The read is not restricted to the caller: `answer` must check what this caller may see.
 */
export const readWithSession = <R extends Route, Row>(
  { withSession, alone }: Reads<R, Row>,
  answer: Answer<R, Row>,
): Handler<R> =>
  Object.assign(
    async (call: Call<R>) =>
      answer(call, call.readAhead ? (call.readAhead.row as Row) : await alone(call.params)),
    { withSession },
  )

/** How a route finds a session, if it reads something with it. */
export function finderOf(route: Route, { withSession }: Handler<Route>) {
  if (withSession === undefined) return undefined
  /** Undefined for input that the route refuses: nothing is read for it. */
  return (
    token: string,
    given: unknown,
    look: Look,
  ): Promise<WithRow<unknown> | undefined> | undefined => {
    const params = route.params?.safeParse(given)
    return params?.success === false ? undefined : withSession(token, params?.data, look)
  }
}
