import type { FastifyServerOptions } from 'fastify'
import type { Config } from '../../config/config.ts'
import { safeError } from '../../lib/safe-error.ts'

/** Fields that never reach a log, at any depth of the logged object. */
const SECRET_FIELDS = new Set([
  'password',
  'newPassword',
  'currentPassword',
  'generatedPassword',
  'passwordHash',
  'deviceHash',
  'deviceMacAddress',
  'ticket',
  'token',
  'secret',
  'cookie',
  'authorization',
  'params',
  'parameters',
  'body',
  'headers',
])
const DEPTH = 5

/** Where lines go instead of stdout. */
export type LogTarget = { write(line: string): void }

/**
 * JSON lines on stdout, without visitors' addresses and query strings: both could identify people.
 */
export function loggerOptions(
  config: Pick<Config, 'logLevel'>,
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level: config.logLevel,
    hooks: {
      // Every line passes here, our own and Fastify's.
      logMethod(args, method) {
        return method.apply(this, safeArguments(args) as Parameters<typeof method>)
      },
    },
    serializers: {
      req: (request) => ({
        id: request.id,
        method: request.method,
        // The pattern of the route: ids of accounts and servers side by side would link them.
        path: request.routeOptions?.url ?? request.url?.split('?')[0],
      }),
      res: (reply) => ({ status: reply.statusCode }),
      // A plain object by now; Fastify's own serializer would turn it into an error again.
      err: (error) => ({
        ...error,
        type: String(error['type' as keyof typeof error] ?? error.name),
        message: error.message,
        stack: error.stack ?? '',
      }),
    },
  }
}

/** For a bare error pino uses its message as the line's own: that has to be the safe one, too. */
function safeArguments([first, ...rest]: unknown[]): unknown[] {
  if (!(first instanceof Error)) return [safeValue(first, 0), ...rest.map(safeRest)]
  const err = safeError(first)
  return [{ err }, ...(rest.length === 0 ? [err.message] : rest.map(safeRest))]
}

const safeRest = (value: unknown): unknown =>
  typeof value === 'string' ? value : safeValue(value, 1)

function safeValue(value: unknown, depth: number): unknown {
  if (value instanceof Error) return safeError(value)
  if (Array.isArray(value)) {
    return depth >= DEPTH ? '[deep]' : value.map((one) => safeValue(one, depth + 1))
  }
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  if (depth >= DEPTH) return '[deep]'
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (SECRET_FIELDS.has(key)) return [key, '[redacted]']
      // Requests and replies are large and live: their own serializers select what is written.
      if (key === 'req' || key === 'res') return [key, inner]
      return [key, safeValue(inner, depth + 1)]
    }),
  )
}
