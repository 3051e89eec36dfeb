/** Why a console ended; the page words it and offers the next step. */
export const CLOSE = {
  /** The server is off. */
  ended: 4000,
  refused: 4001,
  signedOut: 4002,
  idle: 4003,
  tooMany: 4004,
  /** The cluster or its node cannot be reached. */
  unavailable: 4005,
  /** The server runs, but its screen is gone: restarted or moved. */
  lost: 4006,
} as const

/** With the server's own sentence, where it sent one. */
export type ConsoleEnding = { why: keyof typeof CLOSE; reason: string }
