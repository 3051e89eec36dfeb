import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'

/** The path as the router reads it: `/%61pi/settings` is `/api/settings`. */
export function pathOf(request: FastifyRequest): string {
  const path = request.url.split('?')[0] ?? '/'
  try {
    return decodeURIComponent(path)
  } catch {
    // Not decodable, so it matches no route either.
    return path
  }
}

/** A host with an optional port, without characters that would lead elsewhere in a URL. */
const isHost = (host: string): boolean =>
  /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}`)

/** HTTP requires this refusal. An empty host is accepted, because health probes send it. */
export function refuseOddHost({ host }: FastifyRequest): void {
  if (!host || isHost(host)) return
  throw new AppError('INVALID_INPUT', 'The Host header is not valid.')
}

/** The address this request was sent to, for answers that must name it. */
export function ownAddress(
  { host, protocol }: FastifyRequest,
  publicUrl: string | undefined,
): { host: string; port: number } {
  if (publicUrl === undefined && !host) {
    throw new AppError('INVALID_INPUT', 'Send a Host header, so that the answer can name it.')
  }
  // X-Forwarded-Proto may contain anything.
  const scheme = protocol === 'https' ? 'https' : 'http'
  const url = new URL(publicUrl ?? `${scheme}://${host}`)
  const standard = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname, port: url.port === '' ? standard : Number(url.port) }
}
