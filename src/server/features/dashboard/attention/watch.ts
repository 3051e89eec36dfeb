import type { Attention } from '#shared/api/overview/dashboard.ts'
import type { Deps } from '../../../runtime/deps.ts'

export type AttentionDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'hypervisors' | 'instanceList'>

/** Looks for one kind of thing that needs an operator; undefined if there is none. */
export type Watch = (deps: AttentionDeps) => Promise<Attention | undefined>

export const plural = (of: number, one: string, many: string) =>
  of === 1 ? `1 ${one}` : `${of} ${many}`

/** One row of the panel, or undefined if nothing was found. */
export const found = (
  entry: Omit<Attention, 'count'>,
  { length: count }: { length: number },
): Attention | undefined => (count === 0 ? undefined : { ...entry, count })

/** The path of the single item, or of the list. */
export const pathTo = <T>(list: readonly T[], one: (item: T) => string, many: string): string => {
  const [first] = list
  return list.length === 1 && first !== undefined ? one(first) : many
}
