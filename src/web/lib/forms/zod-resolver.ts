import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import { z } from 'zod'

// The content security policy forbids code made from strings.
z.config({ jitless: true })

type Issue = { path: PropertyKey[]; message: string }

/** The first sentence for each field. */
export function fieldErrors<T extends FieldValues>(issues: readonly Issue[]): FieldErrors<T> {
  const errors: Record<string, { type: string; message: string }> = {}
  for (const { path, message } of issues) {
    const name = String(path[0] ?? 'root')
    errors[name] ??= { type: 'schema', message }
  }
  return errors as FieldErrors<T>
}

type Check = { success: true } | { success: false; error: { issues: readonly Issue[] } }

/** Forms show the sentences of the schema that the server checks with. */
export const zodResolver =
  <T extends FieldValues>(check: (values: T) => Check): Resolver<T> =>
  (values) => {
    const result = check(values)
    return result.success
      ? { values, errors: {} }
      : { values: {}, errors: fieldErrors<T>(result.error.issues) }
  }
