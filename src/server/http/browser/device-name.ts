const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chromium/', 'Chromium'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/**
 * "Firefox on Linux": enough for users to recognise their own session, too little to identify a
 * person.
 */
export function describeDevice(userAgent: string | undefined): string {
  const browser = BROWSERS.find(([mark]) => userAgent?.includes(mark))?.[1] ?? 'Unknown browser'
  const system = SYSTEMS.find(([mark]) => userAgent?.includes(mark))?.[1]
  return system ? `${browser} on ${system}` : browser
}
