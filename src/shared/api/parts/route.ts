import type { z } from 'zod'
import type { KeyScope } from '../../rules/people/key-scopes.ts'
import type { Duty } from '../../rules/people/roles.ts'

/**
 * Who may call a route. Checked before the body is read.
 * - `public`: anyone
 * - `signed-in`: any active account, also a member of the staff simulating a client
 * - `in-person`: any active account, but not while simulating
 * - `client`: a client, also simulated
 * - `client-in-person`: a client, but not while simulating (money, secrets)
 * - `admin`: a member of the staff who is not simulating
 * - `simulating`: a session in which a member of the staff acts as a client
 *
 * Of the staff only those with the duty that `staff` names, also while simulating.
 */
const ACCESS = [
  'public',
  'signed-in',
  'in-person',
  'client',
  'client-in-person',
  'admin',
  'simulating',
] as const
export type Access = (typeof ACCESS)[number]

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Route = {
  method: Method
  path: `/api/${string}`
  access: Access
  /** What a member of the staff must have the duty for; only an owner has the default, `own`. */
  staff?: Duty
  /**
   * What an API key needs for this route; `any`: every key. A route that names none refuses keys.
   */
  scope?: KeyScope | 'any'
  /** One line for the API document. */
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  response: z.ZodType
  /** The status of a success; 200 by default. */
  status?: 200 | 201 | 202 | 204
  /** Answers a table for spreadsheets, as it is read, under this file name. */
  csv?: string
  /** The rate-limit bucket that counts the calls; `normal` by default. */
  limit?: 'normal' | 'strict'
  /** Passes the body to the handler as unparsed bytes, for signature checks. */
  rawBody?: true
  /**
   * Pays or creates something: requests with the same `Idempotency-Key` have one effect and one
   * answer.
   */
  idempotent?: true
  /** Changes something that costs nothing and is easily undone: an agent does it without asking. */
  isHarmless?: true
  /** Asks an account with a second factor for a code of the last minutes. */
  needsProof?: true
  /** Open to an operator who must have a second factor and has none yet. */
  beforeSecondFactor?: true
}

/** Keeps the literal types of one row of the table. */
export const route = <const R extends Route>(row: R): R => row

export type RouteGroup = Record<string, Route>

type Output<S> = S extends z.ZodType ? z.output<S> : undefined
type Input<S> = S extends z.ZodType ? z.input<S> : undefined
type Field<R, K extends string> = K extends keyof R ? R[K] : undefined

export type ParamsOf<R extends Route> = Output<Field<R, 'params'>>
export type QueryOf<R extends Route> = Output<Field<R, 'query'>>
export type BodyOf<R extends Route> = Output<Field<R, 'body'>>
/** What a handler returns; the response schema turns it into the response body. */
export type ReplyOf<R extends Route> =
  Field<R, 'csv'> extends string ? AsyncIterable<string> : Input<R['response']>
/** What a caller receives. */
export type ResponseOf<R extends Route> = Output<R['response']>

type OptionalInput<K extends string, V> = undefined extends V
  ? { [P in K]?: undefined }
  : Record<never, never> extends V
    ? { [P in K]?: V }
    : { [P in K]: V }

/** What a caller passes: `params`, `query` and `body`, each only where the route has it. */
export type RequestOf<R extends Route> = OptionalInput<'params', Input<Field<R, 'params'>>> &
  OptionalInput<'query', Input<Field<R, 'query'>>> &
  OptionalInput<'body', Input<Field<R, 'body'>>>
