import type { MadeWith } from '#shared/rules/token/given-by-hand.ts'

const NAMES: Record<MadeWith, string> = {
  hostname: 'the hostname',
  sshKeys: 'the SSH keys',
  userData: 'the start-up script',
}

const allOf = new Intl.ListFormat('en-US')

/**
 * What was not done for a server that was set up by hand, for its client and for operators alike.
 * An operator may have done some of it there, so it only says what did not happen by itself.
 */
export function notAppliedWords(notApplied: readonly MadeWith[] = []): string | undefined {
  if (notApplied.length === 0) return undefined
  const names = allOf.format(notApplied.map((wish) => NAMES[wish]))
  const login = notApplied.includes('sshKeys') ? ' It has a password.' : ''
  return `The server was set up by hand. Not applied automatically: ${names}.${login}`
}
