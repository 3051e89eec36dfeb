/** The parts of an error that may be logged or printed. */
export type SafeError = {
  type: string
  message: string
  code?: string
  constraint?: string
  table?: string
  status?: number
  stack?: string
  cause?: SafeError
  errors?: SafeError[]
}

const DEPTH = 6
const MESSAGE_MAX = 2000
const SQLSTATE = /^[0-9A-Z]{5}$/

/**
 * An error as it may be logged or printed. Drivers and parsers put their input into their errors:
 * parameters of a statement, the row a constraint refused, the text that was not JSON. So only the
 * fields named here are copied, and messages that quote values are cut.
 */
export function safeError(error: unknown, depth = 0): SafeError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error' }
  const fields = error as Error & Record<string, unknown>
  const frames = framesOf(error)
  return {
    type: error.name,
    message: safeMessage(error),
    ...text('code', fields.code),
    ...text('constraint', fields.constraint),
    ...text('table', fields.table),
    ...(typeof fields.status === 'number' ? { status: fields.status } : {}),
    ...(frames === '' ? {} : { stack: frames }),
    ...(error.cause !== undefined && depth < DEPTH
      ? { cause: safeError(error.cause, depth + 1) }
      : {}),
    ...(error instanceof AggregateError && depth < DEPTH
      ? { errors: error.errors.map((one) => safeError(one, depth + 1)) }
      : {}),
  }
}

/** The same as text, for a terminal. */
export function errorText(error: unknown): string {
  const lines: string[] = []
  for (let at: SafeError | undefined = safeError(error); at; at = at.cause) {
    lines.push(`${lines.length > 0 ? 'caused by ' : ''}${at.type}: ${at.message}`)
    if (at.stack !== undefined) lines.push(at.stack)
  }
  return lines.join('\n')
}

const text = <K extends string>(key: K, value: unknown): Partial<Record<K, string>> =>
  typeof value === 'string' && value.length <= 100 ? ({ [key]: value } as Record<K, string>) : {}

/** The first lines of a stack repeat the message: only the frames are kept. */
const framesOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')

function safeMessage(error: Error): string {
  const { message, name } = error
  // "Unexpected token 's', "secret" is not valid JSON"
  if (error instanceof SyntaxError) return 'The text could not be parsed.'
  // "Failed query: insert into … values ($1)\nparams: secret"
  if ('query' in error || name === 'DrizzleQueryError') {
    return cut(message.split(/\n?params:/)[0] ?? '')
  }
  const code = (error as { code?: unknown }).code
  // "invalid input syntax for type integer: "secret""
  if (typeof code === 'string' && SQLSTATE.test(code)) {
    return cut(message.replaceAll(/: ".*"/gs, ': "…"'))
  }
  return cut(withoutQueries(message))
}

/** Tickets are in the query string; an error that names a URL keeps its path only. */
const withoutQueries = (message: string): string =>
  message.replaceAll(/(\b(?:https?|wss?):\/\/[^\s?'"]+|\/[\w./-]+)\?[^\s'"]*/g, '$1?…')

const cut = (message: string): string =>
  message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX)}…` : message
