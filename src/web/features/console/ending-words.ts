import { CLOSE } from '#shared/rules/instance/console-endings.ts'

export type Ending = { code: number; reason: string; wasOpen: boolean }

export type EndingWords = {
  title: string
  text: string
  /** The next step: connecting by hand, signing in, or nothing until the server is on again. */
  next: 'connect' | 'sign-in' | 'start'
  /** Worth an automatic retry. */
  isPassing: boolean
}

const RUNNING = 'Your server keeps running.'

/** Why the screen disconnected, and what to do about it. */
export function wordsOf({ code, reason, wasOpen }: Ending): EndingWords {
  const connect = { next: 'connect', isPassing: false } as const
  switch (code) {
    case CLOSE.ended:
      return {
        title: wasOpen ? 'The server was shut down' : 'The server is off',
        text: 'Its screen comes back here when it is started.',
        next: 'start',
        isPassing: false,
      }
    case CLOSE.idle:
      return {
        ...connect,
        title: 'The console was closed',
        text: `Nobody used it for ten minutes. ${RUNNING}`,
      }
    case CLOSE.signedOut:
      return {
        ...connect,
        title: 'The console was closed',
        text: reason || 'You are no longer signed in here.',
        next: 'sign-in',
      }
    case CLOSE.refused:
      return { ...connect, title: 'The console did not open', text: reason }
    case CLOSE.tooMany:
      return { ...connect, title: 'Too many consoles are open', text: reason }
    case CLOSE.unavailable:
      return {
        ...connect,
        title: 'The screen cannot be reached',
        text: reason || 'The machine your server runs on does not answer.',
        isPassing: wasOpen,
      }
    case CLOSE.lost:
      return {
        ...connect,
        title: 'The screen was interrupted',
        text: 'The server is restarting or moves to another machine.',
        isPassing: true,
      }
    default:
      return {
        ...connect,
        title: 'The connection was lost',
        text: reason || RUNNING,
        isPassing: true,
      }
  }
}

const WAITS_MS = [1000, 2000, 5000, 10_000]

/** The delay before the next automatic retry; undefined where a person must decide. */
export const retryAfter = ({ isPassing }: EndingWords, tries: number): number | undefined =>
  isPassing ? WAITS_MS[tries] : undefined
