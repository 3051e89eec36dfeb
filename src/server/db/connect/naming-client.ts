import { createHash } from 'node:crypto'
import pg from 'pg'

/** A statement gets a name once it has been repeated this often. */
const AFTER = 3
/**
 * Lists of any length make any number of statements; each name costs memory on every connection.
 */
const MOST = 500

type StatementNames = (text: string) => string | undefined

/**
 * Names statements, so that the database keeps them parsed and planned. Undefined for a rare one.
 */
export function statementNames(): StatementNames {
  const uses = new Map<string, number>()
  const names = new Map<string, string>()

  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST) return known
    const count = (uses.get(text) ?? 0) + 1
    if (uses.size >= MOST * 10) uses.clear()
    uses.set(text, count)
    if (count < AFTER) return undefined
    uses.delete(text)
    const name = `s_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`
    names.set(text, name)
    return name
  }
}

type Statement = pg.QueryConfig & { name?: string }
export type NamingConfig = pg.ClientConfig & { names: StatementNames }

/** Prepares repeated statements: a third of a sale's time was spent parsing the same ones again. */
export class NamingClient extends pg.Client {
  private unanswered = 0
  private heardAt = 0

  /** How long the connection has waited for an answer; 0 if it waits for none. */
  silentMs(): number {
    return this.unanswered === 0 ? 0 : performance.now() - this.heardAt
  }

  /** The database process that serves the connection. */
  pid(): number {
    return (this as unknown as { processID?: number | null }).processID ?? 0
  }

  /** `names` is shared by the connections of a pool, which passes its own options on. */
  constructor({ names, ...config }: NamingConfig) {
    super(config)
    // The driver's overloads accept the same arguments; the statement may only gain a name.
    const ask = this.query.bind(this) as (...given: unknown[]) => unknown
    const query = (statement: unknown, ...rest: unknown[]) =>
      this.listening(rest, (given) => ask(named(names, statement, rest[0]), ...given))
    this.query = query as typeof this.query
  }

  /** Records when an answer is due and when it arrived, by callback or by promise. */
  private listening(rest: unknown[], ask: (given: unknown[]) => unknown): unknown {
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      this.unanswered -= 1
      this.heardAt = performance.now()
    }
    if (this.unanswered === 0) this.heardAt = performance.now()
    this.unanswered += 1
    const callback = rest.at(-1)
    if (typeof callback === 'function') {
      const told = (...answer: unknown[]) => {
        over()
        callback(...answer)
      }
      return ask([...rest.slice(0, -1), told])
    }
    const asked = ask(rest)
    if (asked instanceof Promise) asked.then(over, over)
    // A statement object of the driver has no promise or callback to wait for.
    else over()
    return asked
  }
}

/** Without values a text may contain several statements, which cannot be prepared. */
const isOneQuestion = (text: string) => text.startsWith('select') && !text.includes(';')

function named(names: StatementNames, statement: unknown, values: unknown): unknown {
  const isText = typeof statement === 'string'
  const config: Partial<Statement> = isText ? { text: statement } : Object(statement)
  const given = Array.isArray(values) ? values : config.values
  if (config.text === undefined || config.name !== undefined) return statement
  if (!given?.length && !isOneQuestion(config.text)) return statement
  const name = names(config.text)
  if (name === undefined) return statement
  return isText ? { text: statement, name } : Object.assign(Object(statement), { name })
}
