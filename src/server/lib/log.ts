import type { FastifyBaseLogger } from 'fastify'

/** Structured logging; secrets are redacted where the logger is made (http/observe/logger.ts). */
export type Log = Pick<FastifyBaseLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>
