import { z } from 'zod'
import {
  readFlag,
  readMaybeNumber,
  readMaybeText,
  readNumber,
  readObject,
  readTags,
  readText,
  UnexpectedError,
} from './read-value.ts'

type Read<T> = (value: unknown) => T

const required = <T>(read: Read<T>) =>
  z.unknown().transform((value, context) => attempt(context, { read: () => read(value) }))

/** For a field that an object may omit. */
const optional = <T>(read: Read<T>) =>
  z
    .unknown()
    .optional()
    .transform((value, context) => attempt(context, { read: () => read(value) }))

export const number = required(readNumber)
export const maybeNumber = optional(readMaybeNumber)
export const flag = optional(readFlag)
export const text = required(readText)
export const maybeText = optional(readMaybeText)
export const tagList = optional(readTags)

/**
 * A row of a long list, read field by field. The list of a large cluster has a quarter of a million
 * fields: a schema for each costs more than everything else done with it.
 */
export const listRow = <T>(read: (field: <V>(name: string, as: Read<V>) => V) => T) =>
  z.unknown().transform((value, context) => {
    const path: string[] = []
    return attempt(context, {
      path,
      read: () => {
        const row = readObject(value)
        return read((name, as) => {
          path[0] = name
          return as(row[name])
        })
      },
    })
  })

function attempt<T>(
  context: z.RefinementCtx,
  { read, path = [] }: { read: () => T; path?: string[] },
): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnexpectedError)) throw error
    context.addIssue({ code: 'custom', message: error.message, path })
    return z.NEVER
  }
}

/** The answer of a call whose result is not used. */
export const nothing = z.unknown().transform(() => undefined)

/** PVE's envelope. `errors` names parameters, `message` repeats the reason phrase in full. */
export const Envelope = z.object({
  data: z.unknown(),
  total: maybeNumber,
  message: z.string().optional(),
  errors: z.record(z.string(), z.string()).optional().catch(undefined),
})
export type Envelope = z.output<typeof Envelope>
