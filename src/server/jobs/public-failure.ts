import { AppError } from '#shared/errors.ts'
import type { JobFailure } from '../db/schema/work.ts'

/** While it is tried again. */
export const KEEPS_TRYING =
  'This takes longer than usual. We keep trying; you do not have to do anything.'
/** When it will not be tried again by itself. */
export const COULD_NOT = 'This could not be done. The operator has been told. Your payment is safe.'

/**
 * What a client is told of a failure: what it is written for them, or plain words. Nodes, rights,
 * storages and templates are the operator's (review 3.7).
 */
export const publicMessageOf = (error: unknown, retry: JobFailure['retry']): string =>
  (error instanceof AppError ? error.publicMessage : undefined) ??
  (retry === 'later' ? KEEPS_TRYING : COULD_NOT)

/** Of a stored failure; those of an older version have no words for clients. */
export const publicTextOf = ({ publicMessage, retry }: JobFailure): string =>
  publicMessage ?? (retry === 'later' ? KEEPS_TRYING : COULD_NOT)
