import { z } from 'zod'

/**
 * PVE sends numbers as numbers or strings and booleans as 1, 0, "" or not at all, depending on the
 * endpoint, the version and the weather in Perl. These read all of it; unknown fields are dropped.
 */
export const number = z
  .union([z.number(), z.string().regex(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i)])
  .transform(Number)

/** A number that may be missing, null or "". */
export const maybeNumber = z
  .union([number, z.null(), z.literal('')])
  .optional()
  .transform((value) => (typeof value === 'number' ? value : undefined))

/** A boolean; what is missing is false. */
export const flag = z
  .union([z.boolean(), z.number(), z.string(), z.null()])
  .optional()
  .transform((value) => value === true || value === 1 || value === '1')

export const text = z.union([z.string(), z.number()]).transform(String)

/** A text that may be missing, null or "". */
export const maybeText = z
  .union([text, z.null()])
  .optional()
  .transform((value) => (value === null || value === '' ? undefined : value))

/** `tags` is one string split by ';' (',' and ' ' are accepted on input by PVE). */
export const tagList = maybeText.transform((value) => value?.split(/[;, ]+/).filter(Boolean) ?? [])

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
