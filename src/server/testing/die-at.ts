// Preloaded by tests (`node --import`), never by the product: kills a server process at a chosen
// moment, as by a power failure. Every commit that belongs to a sale and every call to a cluster
// has two such moments: right before it, and right after.
import { appendFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { Pool } from 'undici'

/** The moment to die at, counted from 1; without it the moments are only logged. */
const DIE_AT = Number(process.env.DIE_AT ?? 0)
const NOTES = process.env.DIE_NOTES ?? ''
/** Counting begins with a commit to all of these tables. */
const BEGINS_WITH = (process.env.DIE_BEGINS_WITH ?? 'orders').split(' ')

const WRITE = /^\s*(?:insert into|update|delete from)\s+(?:"?(\w+)"?\.)?"?(\w+)"?/i
const OURS = new Set(
  'tokens orders payments jobs job_steps instances leases snapshots backups'.split(' '),
)
/** Statements of the clock and the polls, which do not belong to a sale. */
const BACKGROUND =
  /pg_try_advisory_xact_lock|update "(?:nodes|clusters|templates)"|"seen_addresses" = /
const POLLS = /\/(?:cluster\/(?:resources|status|config)|version|nodes|access\/\w+)$/

let count = 0
let isArmed = false

function moment(name: string): void {
  if (!isArmed) return
  count += 1
  if (NOTES) appendFileSync(NOTES, `${name}\n`)
  if (count === DIE_AT) process.kill(process.pid, 'SIGKILL')
}

/** A name for what is about to be committed; undefined if it does not belong to a sale. */
function nameOf(statements: readonly string[]): string | undefined {
  if (statements.some((text) => BACKGROUND.test(text))) return undefined
  const tables = statements.map((text) => WRITE.exec(text)?.[2] ?? '').filter((t) => OURS.has(t))
  if (tables.length === 0) return undefined
  if (BEGINS_WITH.every((table) => tables.includes(table))) isArmed = true
  return `commit ${[...new Set(tables)].join(', ')}`
}

async function around<T>(name: string | undefined, work: () => Promise<T>): Promise<T> {
  if (name === undefined) return await work()
  moment(`before ${name}`)
  const result = await work()
  moment(`after ${name}`)
  return result
}

type Query = (...args: unknown[]) => unknown
const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown } | null)?.text ?? '')

function watchPostgres(): void {
  const open = new WeakMap<object, string[]>()
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  prototype.query = function (this: object, ...args: unknown[]) {
    const text = textOf(args[0])
    const send = () => query.apply(this, args)
    const statements = open.get(this)
    if (/^begin/i.test(text)) open.set(this, [])
    else if (/^(?:commit|rollback)/i.test(text)) open.delete(this)
    else if (statements) statements.push(text)
    const isCommit = /^commit/i.test(text)
    if (statements && !isCommit) return send()
    const name = nameOf(isCommit ? (statements ?? []) : [text])
    if (name === undefined) return send()
    const callback = args.at(-1)
    if (typeof callback !== 'function') return around(name, async () => await send())
    args[args.length - 1] = (...answer: unknown[]) => {
      moment(`after ${name}`)
      callback(...answer)
    }
    moment(`before ${name}`)
    return send()
  }
}

function watchEmbedded(): void {
  const prototype = PGlite.prototype as unknown as { query: Query; transaction: Query }
  const { query, transaction } = prototype
  prototype.query = function (this: object, ...args: unknown[]) {
    return around(nameOf([textOf(args[0])]), async () => await query.apply(this, args))
  }
  prototype.transaction = async function (this: object, work: unknown) {
    let name: string | undefined
    const result = await transaction.call(this, async (tx: { query: Query }) => {
      const statements: string[] = []
      const watched = new Proxy(tx, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key)
          if (key !== 'query') return value
          return (...args: unknown[]) => {
            statements.push(textOf(args[0]))
            return target.query(...args)
          }
        },
      })
      const answer = await (work as (tx: unknown) => Promise<unknown>)(watched)
      name = nameOf(statements)
      if (name !== undefined) moment(`before ${name}`)
      return answer
    })
    if (name !== undefined) moment(`after ${name}`)
    return result
  }
}

function watchCluster(): void {
  const { dispatch } = Pool.prototype
  Pool.prototype.dispatch = function (options, handler) {
    const path = options.path.split('?')[0]?.replace('/api2/json', '') ?? ''
    if (POLLS.test(path)) return dispatch.call(this, options, handler)
    const name = `${options.method} ${path.replace(/UPID[^/]*/, 'UPID')}`
    moment(`before ${name}`)
    const { onResponseEnd } = handler
    handler.onResponseEnd = (...args) => {
      moment(`after ${name}`)
      return onResponseEnd?.apply(handler, args)
    }
    return dispatch.call(this, options, handler)
  }
}

watchPostgres()
watchEmbedded()
watchCluster()
