/**
 * Coalesces concurrent attempts per key within this process: the first runs; if it succeeds, the
 * rest fail without a query. Between processes, and for later attempts, the database decides.
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
