import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ZodError } from 'zod'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { isGivenUp, isPoolBusy, isUnstorable } from '../db/database.ts'
import { isConnectionLost, isOutcomeKnown } from '../db/lost-connection.ts'

/** Our messages for what Fastify itself refuses before a handler runs. */
const FRAMEWORK: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'MALFORMED_JSON',
    message: 'The body is not valid JSON.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Send the body as application/json.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'BODY_TOO_LARGE',
    message: 'The body is too large: at most 96 KiB.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'INVALID_INPUT',
    message: 'The body is not as long as its Content-Length says.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'INVALID_INPUT',
    message: 'A part of the address is too long.',
  },
  FST_ERR_BAD_URL: { code: 'INVALID_INPUT', message: 'The address is not a valid URL.' },
}

/** A restarted database is usually back by then. */
const AWAY_SECONDS = 5

export function handleError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const known = toAppError(error)
  if (known.status >= 500) {
    request.log.error({ err: error }, 'a request failed')
  }
  if (known.retryAfter !== undefined) reply.header('retry-after', String(known.retryAfter))
  reply.code(known.status).send(known.body)
}

/** Converts every error into one of ours. The text of an unexpected error is never sent. */
function toAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error
  if (error instanceof ZodError) return invalidInput(error)
  const framework = 'code' in error ? FRAMEWORK[error.code] : undefined
  if (framework) return new AppError(framework.code, framework.message)
  const isClientFault =
    'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500
  if (isClientFault) return new AppError('INVALID_INPUT', 'The request could not be understood.')
  if (isPoolBusy(error)) {
    const message = 'Too many people ask at once. Please try again in a moment.'
    return new AppError('UNAVAILABLE', message, { retryAfter: 2, cause: error })
  }
  if (isConnectionLost(error)) return databaseAway(error)
  if (isGivenUp(error)) {
    const message = 'This could not be done right now. Please try again.'
    return new AppError('UNAVAILABLE', message, { retryAfter: 1, cause: error })
  }
  if (isUnstorable(error)) return new AppError('INVALID_INPUT', 'Please remove control characters')
  return new AppError('INTERNAL', 'Something went wrong on our side. Please try again.')
}

/** A change that may have been stored is never reported as failed. */
function databaseAway(error: Error): AppError {
  if (isOutcomeKnown(error)) {
    const message = 'The service cannot reach its database. Please try again in a few seconds.'
    return new AppError('UNAVAILABLE', message, { retryAfter: AWAY_SECONDS, cause: error })
  }
  const message =
    'The connection to the database was lost before it answered. It is not known whether your change was saved: look before you try again.'
  return new AppError('OUTCOME_UNKNOWN', message, { retryAfter: AWAY_SECONDS, cause: error })
}

/** zod's own messages do not name the field. */
const ZODS_OWN =
  /^(Invalid (input|string|option|key|ISO|UUID|URL|element)|Too (small|big)|Unrecognized)/

/** The first sentence for people, all of them with their fields for programs. */
function invalidInput(error: ZodError): AppError {
  const details = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const [first] = details
  const isOurs = first && !ZODS_OWN.test(first.message)
  const message = isOurs || !first?.path ? first?.message : `${first.path}: ${first.message}`
  return new AppError('INVALID_INPUT', message ?? 'The input is not valid.', { details })
}
