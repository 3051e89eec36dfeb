import { z } from 'zod'

/**
 * PVE sends numbers as numbers or strings and booleans as 1, 0, "" or not at all, depending on the
 * endpoint, the version and the weather in Perl. These read all of it; unknown fields are dropped.
 */
export const number = z.unknown().transform((value, context): number => {
  const read = readNumber(value)
  return read ?? complain(context, 'a number')
})

/** A number that may be missing, null or "". */
export const maybeNumber = z
  .unknown()
  .optional()
  .transform((value, context): number | undefined => {
    if (isMissing(value)) return undefined
    return readNumber(value) ?? complain(context, 'a number')
  })

/** A boolean; what is missing is false. */
export const flag = z
  .unknown()
  .optional()
  .transform((value, context): boolean => {
    if (isMissing(value) || typeof value === 'boolean') return value === true
    if (typeof value === 'number' || typeof value === 'string') return value === 1 || value === '1'
    return complain(context, 'a boolean')
  })

export const text = z.unknown().transform((value, context): string => {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : complain(context, 'a text')
})

/** A text that may be missing, null or "". */
export const maybeText = z
  .unknown()
  .optional()
  .transform((value, context): string | undefined => {
    if (isMissing(value)) return undefined
    if (typeof value === 'string') return value
    return typeof value === 'number' ? String(value) : complain(context, 'a text')
  })

const NUMERAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

// One function each, not unions of schemas: a large cluster's list has a quarter of a million fields.
function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  return typeof value === 'string' && NUMERAL.test(value) ? Number(value) : undefined
}

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

function complain(context: z.RefinementCtx, expected: string): never {
  context.addIssue({ code: 'custom', message: `Expected ${expected}` })
  return z.NEVER
}

/** `tags` is one string split by ';' (',' and ' ' are accepted on input by PVE). */
export const tagList = maybeText.transform(
  (value): string[] => value?.split(/[;, ]+/).filter(Boolean) ?? [],
)

/** The answer of a call whose result nobody needs. */
export const nothing = z.unknown().transform(() => undefined)

/** PVE's envelope. `errors` names parameters, `message` repeats the reason phrase in full. */
export const Envelope = z.object({
  data: z.unknown(),
  total: maybeNumber,
  message: z.string().optional(),
  errors: z.record(z.string(), z.string()).optional().catch(undefined),
})
export type Envelope = z.output<typeof Envelope>
