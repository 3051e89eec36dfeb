/** Local storage that may be blocked, full or absent: then nothing is remembered. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function remember(key: string, value: string) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Private windows and hardened browsers refuse; the page works without.
  }
}
