import type { AppError } from '#shared/errors.ts'

/** Waiting does not help: an operator has to confirm the certificate or the credentials. */
const LASTING = new Set<string>(['CERTIFICATE_UNTRUSTED', 'CLUSTER_REFUSED'])

/** The cluster exists but we no longer talk to it, however recent its last answer is. */
export const isShutOut = (failure: AppError | undefined): boolean =>
  failure !== undefined && LASTING.has(failure.code)

export const isCertificateProblem = (failure: AppError | undefined): boolean =>
  failure?.code === 'CERTIFICATE_UNTRUSTED'
