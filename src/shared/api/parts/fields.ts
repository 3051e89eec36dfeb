import { z } from 'zod'
import { decimal, parseAmount } from '../../rules/money/money.ts'
import { isIpv4 } from '../../rules/network/ipv4.ts'
import { isUnicastMac, normalizeMac } from '../../rules/network/mac.ts'

/** The largest value of the database's integer columns. */
const MAX_ID = 2_147_483_647

export const Id = z.number().int().positive().max(MAX_ID)
export const idParams = z.object({ id: z.coerce.number<number>().int().positive().max(MAX_ID) })

/** An id picked from a list; `sentence` asks the user to pick one. */
export const chosenId = (sentence: string) =>
  z.number({ error: sentence }).int(sentence).positive(sentence).max(MAX_ID, sentence)

/** A moment: a Date from the service, an ISO string on the wire. */
export const Timestamp = z
  .union([z.date(), z.string()])
  .transform((at) => (typeof at === 'string' ? at : at.toISOString()))
  .pipe(z.iso.datetime())

/** No content: status 204. */
export const nothing = z.undefined()

export const Message = z.object({ message: z.string() })

/** A decimal string on the wire, accepted also as a number. */
export const Price = z
  .union([z.string(), z.number()], { error: 'Price must be a valid positive number' })
  .transform((value, context) => {
    const cents = parseAmount(value)
    if (cents !== undefined) return decimal(cents)
    context.addIssue({ code: 'custom', message: 'Price must be a valid positive number' })
    return z.NEVER
  })
  .pipe(z.string())

/** At most ten years, so that no date overflows. */
export const DurationDays = z
  .union([z.number(), z.string().regex(/^\d{1,4}$/)], {
    error: 'Duration must be a valid positive number',
  })
  .transform(Number)
  .pipe(
    z
      .number()
      .int('Duration must be a valid positive number')
      .min(1, 'Duration must be a valid positive number')
      .max(3650, 'Duration must be at most 3650 days'),
  )

export const Ipv4 = z.string().refine(isIpv4, 'Invalid IP address')

export const Mac = z
  .string()
  .refine(isUnicastMac, 'Invalid MAC address format')
  .transform(normalizeMac)
  .pipe(z.string())

/** "" and null both mean "not given". Not a union: a union would hide the schema's own message. */
export const orNull = <S extends z.ZodType<string, string>>(schema: S) =>
  z
    .string()
    .nullable()
    .transform((value, context) => {
      if (value === null || value === '') return null
      const parsed = schema.safeParse(value)
      if (parsed.success) return parsed.data
      for (const { message } of parsed.error.issues) context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()

// The checks of a text are added at once: a schema keeps each one that it was made from.
export const required = (sentence: string, max = 255) =>
  z.string({ error: sentence }).check(z.trim(), z.minLength(1, sentence), ...plainUpTo(max))

export const optionalText = (max: number) => z.string().check(z.trim(), ...plainUpTo(max))

const plainUpTo = (max: number) =>
  [
    z.maxLength(max, `Please use at most ${max} characters`),
    z.refine<string>(hasNoControlCharacters, 'Please remove control characters'),
  ] as const

/**
 * Tabs and line breaks are text; other control characters would end up in a log, a VM name or a
 * config file. A lone surrogate is not a character either.
 */
function hasNoControlCharacters(value: string): boolean {
  if (!value.isWellFormed()) return false
  for (const character of value) {
    const code = character.charCodeAt(0)
    const isBreak = code === 9 || code === 10 || code === 13
    if ((code < 32 && !isBreak) || code === 127) return false
  }
  return true
}

/** A flag of a VM's configuration: 1 or 0 on the wire; true and false are accepted. */
export const Flag = z
  .union([z.boolean(), z.literal(0), z.literal(1)])
  .transform((value) => (value ? 1 : 0))
  .pipe(z.union([z.literal(0), z.literal(1)]))
