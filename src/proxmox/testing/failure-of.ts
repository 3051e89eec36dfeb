import { type Failure, ProxmoxError } from '../wire/errors.ts'

/** The failure a call ends with; a call that succeeds, or throws something else, fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  )
  if (error instanceof ProxmoxError) return error.failure
  throw error
}
