import { z } from 'zod'
import { Timestamp } from '#shared/api/parts/fields.ts'
import { isWrittenOnce } from '../lib/written-once.ts'

/** The JSON text of a value; undefined if JSON would omit it. */
type Write = (value: unknown) => string | undefined

/**
 * Derives the function that writes answers from a response schema: exactly the named fields, as
 * `JSON.stringify(schema.parse(value))` would, in one pass without the intermediate copy. Schemas
 * of other kinds (unions, transforms, refinements) are left to zod.
 */
export function responseWriter(schema: z.ZodType): Write {
  // Made by the first answer: most routes of a server are never asked, and it takes memory.
  let write: Write | undefined
  return (value) => {
    try {
      write ??= writerOf(schema)
      return write(value)
    } catch (error) {
      // Our own fault, not the caller's bad input, which is what a ZodError means elsewhere.
      throw new Error('an answer is not what its route promises', { cause: error })
    }
  }
}

function writerOf(schema: z.ZodType): Write {
  if (schema === Timestamp) return moments()
  if (schema instanceof z.ZodArray && isPlain(schema)) return arrays(schema)
  if (schema instanceof z.ZodObject && isPlain(schema) && !schema.def.catchall) {
    return objects(schema)
  }
  if (schema instanceof z.ZodRecord && isPlain(schema)) return records(schema)
  if (schema instanceof z.ZodNullable) {
    const write = writerOf(schema.unwrap() as z.ZodType)
    return (value) => (value === null ? 'null' : write(value))
  }
  if (schema instanceof z.ZodOptional) {
    const write = writerOf(schema.unwrap() as z.ZodType)
    return (value) => (value === undefined ? undefined : write(value))
  }
  const byZod = viaZod(schema)
  const known = scalarOf(schema)
  return known ? (value) => known(value) ?? byZod(value) : byZod
}

/**
 * The text of a field of one value, or undefined for one that zod is to judge. No writer for a
 * schema that only zod can judge.
 */
function scalarOf(schema: z.ZodType): Write | undefined {
  if (isWholeNumber(schema)) {
    return (value) => (Number.isSafeInteger(value) ? `${value}` : undefined)
  }
  if (!isPlain(schema)) return undefined
  if (schema instanceof z.ZodEnum) {
    const texts = new Map<unknown, string>(schema.options.map((word) => [word, quoted(word)]))
    return (value) => texts.get(value)
  }
  if (schema instanceof z.ZodString) {
    return (value) => (typeof value === 'string' ? quoted(value) : undefined)
  }
  if (schema instanceof z.ZodBoolean) {
    return (value) => (typeof value === 'boolean' ? `${value}` : undefined)
  }
  if (schema instanceof z.ZodNumber && schema.format === null) {
    return (value) => (Number.isFinite(value) ? `${value}` : undefined)
  }
  return undefined
}

/** Without control characters, quotes, backslashes and halves of characters. */
const AS_IT_IS = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** Most texts need no escape, and to look for one is quicker than `JSON.stringify`. */
const quoted = (text: unknown): string =>
  typeof text === 'string' && AS_IT_IS.test(text) ? `"${text}"` : JSON.stringify(text)

const isPlain = (schema: z.ZodType) => (schema.def.checks ?? []).length === 0

/** Its only check is that it is whole: one of `z.number().int()`, none of `z.int()`. */
const isWholeNumber = (schema: z.ZodType) =>
  schema instanceof z.ZodNumber &&
  schema.format === 'safeint' &&
  (schema.def.checks ?? []).length === Number(!(schema instanceof z.ZodNumberFormat))

const viaZod =
  (schema: z.ZodType): Write =>
  (value) =>
    JSON.stringify(schema.parse(value))

function arrays(schema: z.ZodArray): Write {
  const write = writerOf(schema.element as z.ZodType)
  const byZod = viaZod(schema)
  return (value) => {
    if (!Array.isArray(value)) return byZod(value)
    return `[${value.map((item) => write(item) ?? 'null').join(',')}]`
  }
}

/** A record by a list of words has all of them and no other; one by any text is left to zod. */
function records(schema: z.ZodRecord): Write {
  const byZod = viaZod(schema)
  const { keyType, valueType } = schema
  if (!(keyType instanceof z.ZodEnum && isPlain(keyType))) return byZod
  const words = keyType.options.map(String)
  const write = objects(z.object(Object.fromEntries(words.map((word) => [word, valueType]))))
  const isWhole = (value: object) => Object.keys(value).length === words.length
  return (value) =>
    typeof value === 'object' && value !== null && isWhole(value) ? write(value) : byZod(value)
}

function objects(schema: z.ZodObject): Write {
  const fields = Object.entries(schema.shape).map(([key, field]) => ({
    key,
    label: `${JSON.stringify(key)}:`,
    mayMiss: field instanceof z.ZodOptional,
    write: writerOf(field as z.ZodType),
  }))
  const byZod = viaZod(schema)
  const written = new WeakMap<object, string>()

  const writeAnew = (record: Record<string, unknown>) => {
    const parts: string[] = []
    for (const { key, label, mayMiss, write } of fields) {
      const value = record[key]
      if (value === undefined && !mayMiss && !(key in record)) return byZod(record)
      const part = write(value)
      if (part !== undefined) parts.push(label + part)
    }
    // Joined, because V8 stores a concatenated text as a tree of its pieces. The texts of kept rows
    // would take seven times the memory, and every list would have to put them together again.
    return `{${parts.join(',')}}`
  }

  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return byZod(value)
    const record = value as Record<string, unknown>
    if (!isWrittenOnce(record)) return writeAnew(record)
    const before = written.get(record)
    if (before !== undefined) return before
    const text = writeAnew(record)
    if (text !== undefined) written.set(record, text)
    return text
  }
}

const KEPT = 1000
const YEAR_10000 = Date.UTC(10_000, 0, 1)

/**
 * Lists repeat the same timestamps by the thousand, and formatting one is the most expensive part
 * of a row.
 */
function moments(): Write {
  const known = new Map<number, string | undefined>()
  const byZod = viaZod(Timestamp)
  return (value) => {
    if (!(value instanceof Date)) return byZod(value)
    const at = value.getTime()
    const seen = known.get(at)
    if (seen !== undefined) return seen
    // Of these years zod takes what JavaScript writes.
    const text = at >= 0 && at < YEAR_10000 ? `"${value.toISOString()}"` : byZod(value)
    if (known.size >= KEPT) known.clear()
    known.set(at, text)
    return text
  }
}
