/** Admits `limit` holders per key; the others wait in order. */
export type Limiter = {
  /** Resolves to the function that releases the slot; rejects when the signal ends the wait. */
  acquire(key: string, signal: AbortSignal): Promise<() => void>
}

type Line = { held: number; waiting: (() => void)[] }

export function limiter(limit: number): Limiter {
  const lines = new Map<string, Line>()

  const release = (key: string, line: Line) => {
    const next = line.waiting.shift()
    if (next) return next()
    line.held -= 1
    if (line.held === 0) lines.delete(key)
  }

  const place = (key: string, line: Line) => {
    let given = false
    return () => {
      if (given) return
      given = true
      release(key, line)
    }
  }

  return {
    async acquire(key, signal) {
      signal.throwIfAborted()
      const line = lines.get(key) ?? { held: 0, waiting: [] }
      lines.set(key, line)
      if (line.held < limit) {
        line.held += 1
        return place(key, line)
      }
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', leave)
          resolve()
        }
        const leave = () => {
          line.waiting.splice(line.waiting.indexOf(enter), 1)
          reject(signal.reason)
        }
        line.waiting.push(enter)
        signal.addEventListener('abort', leave, { once: true })
      })
      return place(key, line)
    },
  }
}
