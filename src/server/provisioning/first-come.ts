/**
 * Of those in this process who want one thing in the same moment the first tries and the others wait
 * for how it ends: when it succeeds they came too late, and nobody had to be asked for it. Between
 * processes, and for whoever comes later, the database decides.
 */
export function firstCome(tooLate: () => Error) {
  const trying = new Map<string, Promise<boolean>>()

  return async <T>(thing: string, attempt: () => Promise<T>): Promise<T> => {
    for (let other = trying.get(thing); other; other = trying.get(thing)) {
      if (await other) throw tooLate()
    }
    const result = attempt()
    const hasIt = result.then(
      () => true,
      () => false,
    )
    trying.set(thing, hasIt)
    try {
      return await result
    } finally {
      trying.delete(thing)
    }
  }
}
