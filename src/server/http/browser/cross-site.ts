import type { FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a write that a browser sends on behalf of another site. Scripts send neither of these
 * headers and authenticate by their cookie alone (decision A5).
 */
export function refuseCrossSite(request: FastifyRequest, publicUrl: string | undefined): void {
  if (!READS.has(request.method)) refuseForeignOrigin(request, publicUrl)
}

/** Also for WebSockets: browsers open those for any site and send our cookie along. */
export function refuseForeignOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (isForeignSite || (origin !== undefined && !isOurs(origin, request, publicUrl))) {
    throw new AppError('CROSS_SITE', 'This request came from another site and was refused.')
  }
}

function isOurs(origin: string, request: FastifyRequest, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true
  // Without PUBLIC_URL a proxy may use plain http to reach us: compare the host, not the scheme.
  return URL.canParse(origin) && new URL(origin).host === request.host
}
