import type { ErrorBody } from '#shared/errors.ts'

export const NO_ANSWER = 'The server did not answer. Check your connection and try again.'
const OUR_FAULT = 'Something went wrong on our side. Please try again in a moment.'

/** A call that failed: `message` is "status: text"; people read `sentenceOf(error)`. */
export class ApiError extends Error {
  /** 0 where no answer came at all. */
  readonly status: number
  readonly body: ErrorBody | undefined

  constructor(status: number, message: string, body?: ErrorBody) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

export const noAnswer = () => new ApiError(0, NO_ANSWER)

/** "409: {…}" together with the body, whatever the server (or a proxy before it) sent. */
export function errorFrom(status: number, statusText: string, text: string): ApiError {
  return new ApiError(status, `${status}: ${text || statusText}`, parseBody(text))
}

function parseBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isErrorBody(body) ? body : undefined
  } catch {
    return undefined
  }
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  typeof body.code === 'string' &&
  'message' in body &&
  typeof body.message === 'string'

/** The server's own sentence about the failure, if it sent one. */
export const serverSentence = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.body?.message : undefined

/** The sentence that a person reads. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : OUR_FAULT
  if (error.body) return error.body.message
  return error.status >= 500 ? OUR_FAULT : error.message
}

/** The session is gone, as opposed to a wrong password. */
export const isSessionLost = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status === 401 &&
  (error.body === undefined || error.body.code === 'UNAUTHENTICATED')
