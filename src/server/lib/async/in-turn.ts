/**
 * Runs work under the same key one after the other, in this process. A failure goes to the caller of
 * that work and does not stop what is queued behind it.
 */
export function inTurn() {
  const lines = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const next = (lines.get(key) ?? Promise.resolve()).then(work)
    const line = Promise.allSettled([next]).then(() => {
      if (lines.get(key) === line) lines.delete(key)
    })
    lines.set(key, line)
    return next
  }
}
