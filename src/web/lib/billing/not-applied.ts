import type { MadeWith } from '#shared/rules/token/given-by-hand.ts'

const STEPS: Record<MadeWith, string> = {
  hostname: 'set the hostname',
  sshKeys: 'put the SSH keys on it',
  userData: 'run the start-up script',
}

const anyOf = new Intl.ListFormat('en-US', { type: 'disjunction' })

/**
 * What was not done for a server that was set up by hand, for its client and for operators alike.
 * An operator may have done some of it there, so it only says what the system did not do.
 */
export function notAppliedWords(notApplied: readonly MadeWith[] = []): string | undefined {
  if (notApplied.length === 0) return undefined
  const steps = anyOf.format(notApplied.map((wish) => STEPS[wish]))
  const login = notApplied.includes('sshKeys') ? ' It has a password.' : ''
  return `The server was set up by hand: the system did not ${steps}.${login}`
}
