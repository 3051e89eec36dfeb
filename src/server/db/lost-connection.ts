import { DrizzleQueryError } from 'drizzle-orm'

/** PostgreSQL's codes for ending a connection, refusing a new one, or not accepting writes. */
const SQL_STATES = new Set([
  '57P01', // ended by an administrator, or by a restart
  '57P02', // another process of the database crashed
  '57P03', // starting up, shutting down or in recovery
  '57P04', // the database was dropped
  '57P05', // idle for too long
  '25P03', // idle in a transaction for too long
  '25006', // a standby: another server accepts the writes now
  '53300', // no connection left
])
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** The driver's own errors have no code. */
const DRIVER =
  /^(Connection terminated|Client (has encountered a connection error|was closed) and is not queryable|Query read timeout|timeout expired|Cannot use a pool after)/

/** The connection was never established: no statement can have reached the database. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03', '53300', '25006'])
const NEVER_SENT_BY_DRIVER = /^(Connection terminated due to connection timeout|timeout expired)/

function* causesOf(error: unknown): Generator<Error> {
  for (let at = error; at instanceof Error; at = at.cause) yield at
}

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code

function isLoss(error: Error): boolean {
  const code = codeOf(error)
  if (typeof code !== 'string') return DRIVER.test(error.message)
  return SQL_STATES.has(code) || /^08...$/.test(code) || SOCKET_CODES.has(code) || isNoSocket(error)
}

/** A database on a Unix socket that is not running: elsewhere this code is about files. */
const isNoSocket = (error: Error): boolean =>
  codeOf(error) === 'ENOENT' && (error as { syscall?: unknown }).syscall === 'connect'

/** Thrown instead of the driver's error if a transaction knows more. */
export class LostConnectionError extends Error {
  /** False: the commit was sent and no answer came, so it may have happened. */
  readonly isOutcomeKnown: boolean

  constructor(cause: unknown, { isOutcomeKnown }: { isOutcomeKnown: boolean }) {
    super(
      isOutcomeKnown
        ? 'the connection to the database was lost'
        : 'the connection to the database was lost before it confirmed a commit',
      { cause },
    )
    this.name = 'LostConnectionError'
    this.isOutcomeKnown = isOutcomeKnown
  }
}

/** A query failed because the database went away or was not reachable. */
export function isConnectionLost(error: unknown): boolean {
  for (const one of causesOf(error)) {
    if (one instanceof LostConnectionError || isLoss(one)) return true
  }
  return false
}

/**
 * False if a change may have been stored although it failed: a commit, or a single statement that
 * is its own transaction, was in progress when the connection was lost.
 */
export function isOutcomeKnown(error: unknown): boolean {
  let isWrite = false
  for (const one of causesOf(error)) {
    if (one instanceof LostConnectionError) return one.isOutcomeKnown
    if (one instanceof DrizzleQueryError) isWrite = !/^\s*select\b/i.test(one.query)
    const isNeverSent =
      NEVER_SENT.has(String(codeOf(one))) || NEVER_SENT_BY_DRIVER.test(one.message)
    if (isNeverSent) return true
  }
  return !isWrite
}
