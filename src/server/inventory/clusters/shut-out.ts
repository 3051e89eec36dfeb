import type { AppError } from '#shared/errors.ts'

/** Nothing will change by waiting: a person has to confirm the certificate or the credentials. */
const LASTING = new Set<string>(['CERTIFICATE_UNTRUSTED', 'CLUSTER_REFUSED'])

/** The cluster is there but we no longer talk to it, however fresh its last answer still is. */
export const isShutOut = (failure: AppError | undefined): boolean =>
  failure !== undefined && LASTING.has(failure.code)

export const isCertificateProblem = (failure: AppError | undefined): boolean =>
  failure?.code === 'CERTIFICATE_UNTRUSTED'
