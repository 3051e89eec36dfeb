import { sentenceCase } from './words.ts'

/** What the log calls an act, in the words of people. */
const WORDS: Record<string, string> = {
  'account.change-password': 'Password changed',
  'account.end-session': 'Session ended',
  'account.end-sessions': 'Signed out everywhere',
  'auth.login': 'Signed in',
  'auth.login-failed': 'Sign-in failed',
  'auth.logout': 'Signed out',
  'auth.register': 'Account created',
  'simulation.end': 'Simulation ended',
  'simulation.start': 'Simulation started',
  'user.create': 'Account created',
  'user.release-device': 'Device released',
  'user.delete': 'Account deleted',
  'user.reset-password': 'Password reset',
  'user.update': 'Account changed',
}

/** An act without words of its own is spelled out. */
export const actionWords = (action: string): string => WORDS[action] ?? sentenceCase(action)
