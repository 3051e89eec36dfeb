import type { Ending } from './screen-connection.ts'

/** The relay's reasons for closing (server/console/relay.ts). */
const CLOSE = { ended: 4000, refused: 4001, signedOut: 4002, idle: 4003 } as const

export type EndingWords = { title: string; text: string; canReconnect: boolean }

/** Why the screen went away, and what to do about it. */
export function wordsOf({ code, reason }: Ending): EndingWords {
  switch (code) {
    case CLOSE.ended:
      return {
        title: 'The server was shut down',
        text: 'Its screen is gone. Start it, then connect again.',
        canReconnect: true,
      }
    case CLOSE.idle:
      return {
        title: 'The console was closed',
        text: 'Nobody used it for ten minutes. Your server keeps running.',
        canReconnect: true,
      }
    case CLOSE.signedOut:
      return { title: 'The console was closed', text: reason, canReconnect: false }
    case CLOSE.refused:
      return { title: 'The console did not open', text: reason, canReconnect: true }
    default:
      return {
        title: 'The connection was lost',
        text: reason || 'Your server keeps running.',
        canReconnect: true,
      }
  }
}
