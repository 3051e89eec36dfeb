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
  'job.retry': 'Tried again',
  'order.cancel': 'Cancelled',
  'order.create': 'Ordered',
  'order.credited': 'Money became credit',
  'order.lapse': 'Time to pay was over',
  'order.paid': 'Paid',
  'order.refunded': 'Money sent back',
  'token.assign': 'Handed over, running',
  'token.cancel': 'Cancelled, server stopped',
  'token.claim': 'Claimed again',
  'token.create': 'Token created',
  'token.delete': 'Deleted for good',
  'token.end': 'Grace period over, server deleted',
  'token.expire': 'Time over, server stopped',
  'token.provision': 'Given to a client',
  'token.purchase': 'Bought',
  'token.renew': 'Renewed',
  'token.restore': 'Restored',
  'token.return': 'Could not be made, back on sale',
  'token.trial': 'Free trial taken',
  'token.update': 'Token changed',
  'token.withdraw': 'Taken off sale',
  'user.create': 'Account created',
  'user.release-device': 'Device released',
  'user.delete': 'Account deleted',
  'user.reset-password': 'Password reset',
  'user.update': 'Account changed',
}

/** An act without words of its own is spelled out. */
export const actionWords = (action: string): string => WORDS[action] ?? sentenceCase(action)
