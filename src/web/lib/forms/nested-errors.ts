import type { FieldErrors, FieldValues } from 'react-hook-form'

type Issue = { path: PropertyKey[]; message: string }
type Branch = { [part: string]: Branch | string }

/** The first sentence for each field of a form with lists: `networks.0.cidr`. */
export function nestedErrors<T extends FieldValues>(issues: readonly Issue[]): FieldErrors<T> {
  const root: Branch = {}
  for (const { path, message } of issues) {
    const parts = path.length > 0 ? path.map(String) : ['root']
    let branch = root
    for (const part of parts) {
      const next = branch[part]
      const below: Branch = typeof next === 'object' ? next : {}
      branch[part] = below
      branch = below
    }
    branch.message ??= message
    branch.type ??= 'schema'
  }
  return root as FieldErrors<T>
}
