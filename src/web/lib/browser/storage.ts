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

/** The same for this tab alone, until it is closed. */
export function rememberedInTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

export function rememberInTab(key: string, value: string) {
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // As above.
  }
}

export function forgetInTab(key: string) {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // As above.
  }
}
