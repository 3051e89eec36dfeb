/**
 * Runs work under the same key one after the other, in this process. Whoever asked is told of a
 * failure; whoever is next in line is not stopped by it.
 */
export function inTurn() {
  const lines = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const next = (lines.get(key) ?? Promise.resolve()).then(work)
    const line = next
      .catch(() => undefined)
      .finally(() => {
        if (lines.get(key) === line) lines.delete(key)
      })
    lines.set(key, line)
    return next
  }
}
