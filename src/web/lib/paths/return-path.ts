const HERE = 'https://here.invalid'

/**
 * Where to go after signing in: a path on this site, or the start page. Backslashes and "//" would
 * lead elsewhere in some browsers, so the parsed address decides, not its spelling.
 */
export function returnPath(next: string | null | undefined): string {
  if (!next?.startsWith('/')) return '/'
  try {
    const url = new URL(next, HERE)
    const isLoop = url.pathname === '/login' || url.pathname === '/register'
    if (url.origin !== HERE || isLoop || url.pathname.startsWith('//')) return '/'
    return url.pathname + url.search + url.hash
  } catch {
    return '/'
  }
}
