/** One change of one place, and what it becomes. The place occurs once, or the first is meant. */
type Mutant = readonly [find: string, put: string]

export type Group = {
  file: string
  /** Where a test must turn red, most likely first. */
  tests: string[]
  mutants: Mutant[]
}

export type NumberedMutant = {
  id: string
  file: string
  tests: string[]
  find: string
  put: string
}

/** Numbered within their file, so that a report can name them. */
export const numbered = (groups: readonly Group[]): NumberedMutant[] =>
  groups.flatMap(({ file, tests, mutants }) =>
    mutants.map(([find, put], index) => ({ id: `${file}#${index + 1}`, file, tests, find, put })),
  )

/** Printed when a run loads the mutant: a run that does not proves nothing. */
export const IN_PLACE = 'the mutant is in place\n'

/** The text with the mutant in it; fails where the place is gone, so that no mutant rots unseen. */
export function mutate(text: string, { id, find, put }: NumberedMutant): string {
  if (!text.includes(find)) throw new Error(`${id}: its place is no longer in the file: ${find}`)
  return text.replace(find, () => put)
}
