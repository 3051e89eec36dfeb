import type { FastifyServerOptions } from 'fastify'
import type { Config } from '../config.ts'

/** Fields that never reach a log, wherever they stand in what is logged. */
const SECRET_FIELDS = [
  'password',
  'newPassword',
  'currentPassword',
  'generatedPassword',
  'passwordHash',
  'ticket',
  'token',
  'secret',
  'cookie',
  'authorization',
]

/** JSON lines on stdout. No address of a visitor, no query string: both tell on people. */
export function loggerOptions(
  config: Pick<Config, 'logLevel'>,
): Exclude<FastifyServerOptions['logger'], boolean | undefined> {
  return {
    level: config.logLevel,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[redacted]',
    },
    serializers: {
      req: (request) => ({
        id: request.id,
        method: request.method,
        path: request.url?.split('?')[0],
      }),
      res: (reply) => ({ status: reply.statusCode }),
    },
  }
}
