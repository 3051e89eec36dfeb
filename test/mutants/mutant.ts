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

/**
 * Numbered within their file, so that a report can name them: also where several groups change one
 * file, or the first of two with one name would stand for both.
 */
export function numbered(groups: readonly Group[]): NumberedMutant[] {
  const counts = new Map<string, number>()
  return groups.flatMap(({ file, tests, mutants }) =>
    mutants.map(([find, put]) => {
      const count = (counts.get(file) ?? 0) + 1
      counts.set(file, count)
      return { id: `${file}#${count}`, file, tests, find, put }
    }),
  )
}

type Current = { id: string; isInPlace: boolean }
const shared = globalThis as { mutantNow?: Current }
shared.mutantNow ??= { id: '', isInPlace: false }

/**
 * The mutant of the moment, and whether a run has loaded it: one that has not proves nothing. Kept
 * beyond this module, which is loaded twice: by the judge, and into the configuration of Vitest.
 */
export const current: Current = shared.mutantNow

/** The text with the mutant in it; fails where the place is gone, so that no mutant rots unseen. */
export function mutate(text: string, { id, find, put }: NumberedMutant): string {
  if (!text.includes(find)) throw new Error(`${id}: its place is no longer in the file: ${find}`)
  return text.replace(find, () => put)
}
