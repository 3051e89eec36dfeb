import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
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
  const faults = new Counter({
    name: 'hushbox_uncaught_faults_total',
    help: 'Faults of ours that only the last resort heard of; each has a line in the log',
    labelNames: ['kind'],
    registers: [registry],
  })
  return {
    /** Registers a gauge that is read on every scrape. */
    watch(name: string, help: string, count: () => number): void {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(count())
        },
      })
    },
    fault: (kind: string) => faults.inc({ kind }),
    observe(method: string, route: string, status: number, milliseconds: number): void {
      requests.inc({ method, route, status })
      duration.observe({ method, route }, milliseconds / 1000)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/**
 * Requires the token; without it the answer is 404. The address of a request proves nothing: a
 * proxy and an onion service on this machine come from here, too.
 */
export function serveMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  token: string | undefined,
): void {
  app.get('/metrics', async (request, reply) => {
    if (token === undefined || !isRight(request, token)) {
      throw new AppError('NOT_FOUND', 'There is nothing at this address.')
    }
    reply.type(metrics.contentType)
    return await metrics.text()
  })
}

function isRight(request: FastifyRequest, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
