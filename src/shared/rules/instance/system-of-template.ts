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

const FIRST_USERS: [word: RegExp, user: string][] = [
  [/windows/i, 'Administrator'],
  [/ubuntu/i, 'ubuntu'],
  [/debian/i, 'debian'],
  [/rocky/i, 'rocky'],
  [/centos/i, 'centos'],
]

/** The user that signs in first on this system. */
export const firstUserOf = (system: string): string =>
  FIRST_USERS.find(([word]) => word.test(system))?.[1] ?? 'root'
