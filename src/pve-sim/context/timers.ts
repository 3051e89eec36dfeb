/** Things to do later, all of which can be called off at once. */
export function timers() {
  const pending = new Set<NodeJS.Timeout>()
  return {
    later(ms: number, act: () => void): void {
      const timer = setTimeout(() => {
        pending.delete(timer)
        act()
      }, ms)
      pending.add(timer)
    },
    close(): void {
      for (const timer of pending) clearTimeout(timer)
    },
  }
}
