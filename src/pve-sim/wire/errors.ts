/** An answer that is not 200. PVE puts the first line of `message` into the reason phrase. */
export class PveError extends Error {
  readonly status: number
  /** By parameter, for "Parameter verification failed." */
  readonly errors: Record<string, string> | undefined
  /** 401s of the authentication layer have no body at all. */
  readonly emptyBody: boolean
  /** Errors of the HTTP server itself repeat the reason in the body, without a content type. */
  readonly plain: boolean
  /** Perl ends a `die` message with a newline; other messages have none. */
  readonly bare: boolean

  constructor(
    status: number,
    message: string,
    more: {
      errors?: Record<string, string>
      emptyBody?: boolean
      plain?: boolean
      bare?: boolean
    } = {},
  ) {
    super(message)
    this.name = 'PveError'
    this.status = status
    this.errors = more.errors
    this.emptyBody = more.emptyBody ?? false
    this.plain = more.plain ?? false
    this.bare = more.bare ?? false
  }
}

/** Perl's `die`: nearly every error inside a call is a 500 with its text. */
export const die = (message: string) => new PveError(500, message)

export const badParameters = (errors: Record<string, string>) =>
  new PveError(400, 'Parameter verification failed.', { errors })

export const forbidden = (what?: string) =>
  new PveError(403, `Permission check failed${what ? ` (${what})` : ''}`)

export const unauthorized = (message: string) => new PveError(401, message, { emptyBody: true })

export const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
