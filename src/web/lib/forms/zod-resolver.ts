import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

export type Issue = { path: PropertyKey[]; message: string }

/** The first sentence for each field. */
export function fieldErrors<T extends FieldValues>(issues: readonly Issue[]): FieldErrors<T> {
  const errors: Record<string, { type: string; message: string }> = {}
  for (const { path, message } of issues) {
    const name = String(path[0] ?? 'root')
    errors[name] ??= { type: 'schema', message }
  }
  return errors as FieldErrors<T>
}

export type Check = { success: true } | { success: false; error: { issues: readonly Issue[] } }

/** For forms that add to what their schema says. */
export const checked = (issues: readonly Issue[]): Check =>
  issues.length === 0 ? { success: true } : { success: false, error: { issues } }

/** Forms show the sentences of the schema that the server checks with. */
export const zodResolver =
  <T extends FieldValues>(check: (values: T) => Check): Resolver<T> =>
  (values) => {
    const result = check(values)
    return result.success
      ? { values, errors: {} }
      : { values: {}, errors: fieldErrors<T>(result.error.issues) }
  }
