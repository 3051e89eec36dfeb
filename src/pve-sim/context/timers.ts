/** Scheduled callbacks that can all be cancelled at once. */
export function timers() {
  const pending = new Set<NodeJS.Timeout>()
  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      pending.delete(timer)
      act()
    }, ms)
    pending.add(timer)
  }
  return {
    later,
    pause: (ms: number) =>
      new Promise<void>((resolve) => {
        if (ms > 0) later(ms, resolve)
        else resolve()
      }),
    close(): void {
      for (const timer of pending) clearTimeout(timer)
    },
  }
}
