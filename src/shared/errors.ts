/** Every failure a caller can meet: its code and HTTP status. */
export const ERROR_STATUS = {
  INVALID_INPUT: 400,
  MALFORMED_JSON: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  UNVERIFIED_WEBHOOK: 401,
  FORBIDDEN: 403,
  CROSS_SITE: 403,
  NOT_WHILE_SIMULATING: 403,
  /** At sign-in, where a code is asked for beside the password, it is 401. */
  SECOND_FACTOR_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  DEVICE_ALREADY_REGISTERED: 409,
  IN_FLIGHT: 409,
  IN_USE: 409,
  INVALID_STATE: 409,
  LAST_ADMIN: 409,
  LOCKED: 409,
  NO_PASSWORD: 409,
  SOLD_OUT: 409,
  /** Of the API key that pays. */
  SPENDING_LIMIT: 409,
  TOKEN_TAKEN: 409,
  TOKEN_YOURS: 409,
  TRIAL_USED: 409,
  UNPAID_LIMIT: 409,
  CHANGED_MEANWHILE: 409,
  VM_MISSING: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  CERTIFICATE_UNTRUSTED: 422,
  CLUSTER_REFUSED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  INVALID_COUPON: 422,
  INVALID_TRANSFER_CODE: 422,
  INVALID_VOUCHER: 422,
  NOT_FORWARD_CONFIRMED: 422,
  TOO_MANY_REQUESTS: 429,
  UNPAID_WAIT: 429,
  INTERNAL: 500,
  CLUSTER_UNAVAILABLE: 503,
  DNS_UNAVAILABLE: 503,
  OUTCOME_UNKNOWN: 503,
  PAYMENT_UNAVAILABLE: 503,
  UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** The body of every failed call. People read `message`, programs read `code`. */
export type ErrorBody = { code: ErrorCode; message: string; details?: unknown }

/** An expected failure with a code. Any other thrown error is a fault of ours (500). */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retryAfter: number | undefined
  /** The message for a client, where `message` is for operators and is stored in a job. */
  readonly publicMessage: string | undefined
  readonly status: number

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: unknown
      retryAfter?: number
      cause?: unknown
      publicMessage?: string
      /** Where it differs from the one of the code. */
      status?: number
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details
    this.retryAfter = options.retryAfter
    this.publicMessage = options.publicMessage
    this.status = options.status ?? ERROR_STATUS[code]
  }

  get body(): ErrorBody {
    return this.details === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, details: this.details }
  }
}

export const notFound = (what: string) => new AppError('NOT_FOUND', `${what} not found`)
