import { AppError } from '#shared/errors.ts'
import type { JobFailure } from '../db/schema/work.ts'

/** Shown while the job is being retried. */
export const KEEPS_TRYING =
  'This takes longer than usual. We keep trying; you do not have to do anything.'
/** Shown when it is not retried automatically. */
export const COULD_NOT = 'This could not be done. The operator has been told. Your payment is safe.'

/**
 * The message of a failure for a client: its public text, or a general one. Nodes, permissions,
 * storages and templates are for operators only (review 3.7).
 */
export const publicMessageOf = (error: unknown, retry: JobFailure['retry']): string =>
  (error instanceof AppError ? error.publicMessage : undefined) ??
  (retry === 'later' ? KEEPS_TRYING : COULD_NOT)

/** For a stored failure; those of an older version have no text for clients. */
export const publicTextOf = ({ publicMessage, retry }: JobFailure): string =>
  publicMessage ?? (retry === 'later' ? KEEPS_TRYING : COULD_NOT)
