import { AppError } from '#shared/errors.ts'

/**
 * - `unreachable`: no answer, or one that says "later"
 * - `refused`: our key is wrong, or may not do this
 * - `missing`: it does not know what we ask for
 * - `rejected`: it understood us and said no
 * - `confused`: an answer we cannot read
 */
export type ProviderFault = 'unreachable' | 'refused' | 'missing' | 'rejected' | 'confused'

const SENTENCES: Record<ProviderFault, string> = {
  unreachable: 'The payment provider does not answer. Please try again in a moment.',
  refused: 'The payment provider does not let us in. Please tell the operator.',
  missing: 'The payment provider does not know this payment.',
  rejected: 'The payment provider did not accept this. Please tell the operator.',
  confused: 'The payment provider gave an answer we cannot read. Please try again in a moment.',
}

/**
 * A failure at a provider. The note is for the log and is written by us, because a client library's
 * own message may quote the key.
 */
export class ProviderError extends AppError {
  readonly fault: ProviderFault

  constructor(fault: ProviderFault, note: string) {
    super('PAYMENT_UNAVAILABLE', SENTENCES[fault], { cause: new Error(note) })
    this.name = 'ProviderError'
    this.fault = fault
  }
}

/** Adds advice to the same failure, for an operator who is testing the keys. */
export async function explained(
  check: () => Promise<string>,
  hints: Record<ProviderFault, string>,
): Promise<string> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    throw new AppError('PAYMENT_UNAVAILABLE', hints[error.fault], { cause: error })
  }
}
