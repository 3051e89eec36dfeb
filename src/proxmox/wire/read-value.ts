/**
 * PVE sends numbers as numbers or strings and booleans as 1, 0, "" or not at all, depending on the
 * endpoint and version. These readers accept every form.
 */
export class UnexpectedError extends Error {
  constructor(expected: string) {
    super(`Expected ${expected}`)
    this.name = 'UnexpectedError'
  }
}

const NUMERAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

export function readNumber(value: unknown): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value
  if (typeof value === 'string' && NUMERAL.test(value)) return Number(value)
  throw new UnexpectedError('a number')
}

export function readText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw new UnexpectedError('a text')
}

/** A boolean; a missing value is false. */
export function readFlag(value: unknown): boolean {
  if (isMissing(value) || typeof value === 'boolean') return value === true
  if (typeof value === 'number' || typeof value === 'string') return value === 1 || value === '1'
  throw new UnexpectedError('a boolean')
}

export function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw new UnexpectedError('an object')
}

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

/** A number that may be missing, null or "". */
export const readMaybeNumber = (value: unknown): number | undefined =>
  isMissing(value) ? undefined : readNumber(value)

/** A text that may be missing, null or "". */
export const readMaybeText = (value: unknown): string | undefined =>
  isMissing(value) ? undefined : readText(value)

/** `tags` is one string separated by ';' (PVE also accepts ',' and ' ' on input). */
export const readTags = (value: unknown): string[] =>
  readMaybeText(value)
    ?.split(/[;, ]+/)
    .filter(Boolean) ?? []
