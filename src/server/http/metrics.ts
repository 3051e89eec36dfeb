import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { AppError } from '#shared/errors.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'hushbox_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'hushbox_request_seconds',
    help: 'Time to the answer',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
    registers: [registry],
  })
  return {
    observe(method: string, route: string, status: number, milliseconds: number): void {
      requests.inc({ method, route, status })
      duration.observe({ method, route }, milliseconds / 1000)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** For the machine itself, or whoever has the token. Anyone else sees that nothing is there. */
export function serveMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  token: string | undefined,
): void {
  app.get('/metrics', async (request, reply) => {
    if (!isAllowed(request, token)) {
      throw new AppError('NOT_FOUND', 'There is nothing at this address.')
    }
    reply.type(metrics.contentType)
    return await metrics.text()
  })
}

function isAllowed(request: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) {
    const given = Buffer.from(request.headers.authorization ?? '')
    const expected = Buffer.from(`Bearer ${token}`)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  // A proxy on this machine also comes from loopback, but says for whom it asks.
  const isForwarded =
    request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined
  const from = request.socket.remoteAddress ?? ''
  return !isForwarded && /^(127\.|::1$|::ffff:127\.)/.test(from)
}
