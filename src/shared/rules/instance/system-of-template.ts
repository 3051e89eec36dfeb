const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/**
 * Whether a template of this name holds this operating system: "debian-12-cloud" holds "Debian 12".
 */
export function holdsSystem(templateName: string, system: string): boolean {
  const wanted = plain(system)
  return wanted !== '' && `-${plain(templateName)}-`.includes(`-${wanted}-`)
}

const WINDOWS = /windows/i

/** A system that is entered by Remote Desktop: it takes no SSH keys and no user data. */
export const isWindows = (system: string): boolean => WINDOWS.test(system)

const FIRST_USERS: [word: RegExp, user: string][] = [
  [WINDOWS, 'Administrator'],
  [/ubuntu/i, 'ubuntu'],
  [/debian/i, 'debian'],
  [/rocky/i, 'rocky'],
  [/centos/i, 'centos'],
]

/** The user that signs in first on this system. */
export const firstUserOf = (system: string): string =>
  FIRST_USERS.find(([word]) => word.test(system))?.[1] ?? 'root'
