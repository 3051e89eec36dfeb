/**
 * Of those in this process who want one thing in the same moment the first tries and the others wait
 * for how it ends: when it succeeds they came too late, and nobody had to be asked for it. Between
 * processes, and for whoever comes later, the database decides.
 */
export function coalesced<T>() {
  const trying = new Map<string, Promise<{ won: T } | undefined>>()

  return async (
    thing: string,
    attempt: () => Promise<T>,
    tooLate: (won: T) => Error,
  ): Promise<T> => {
    for (let other = trying.get(thing); other; other = trying.get(thing)) {
      const winner = await other
      if (winner) throw tooLate(winner.won)
    }
    const result = attempt()
    const outcome = result.then(
      (won) => ({ won }),
      () => undefined,
    )
    trying.set(thing, outcome)
    try {
      return await result
    } finally {
      trying.delete(thing)
    }
  }
}
