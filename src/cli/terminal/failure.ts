/** What a script can tell from how the command ended; docs/cli.md lists them. */
export const EXIT = {
  ok: 0,
  /** The server said no, or what it began failed. */
  refused: 1,
  /** The command was written wrongly, or not confirmed. */
  misuse: 2,
  /** Not signed in, or the key may not do it. */
  forbidden: 3,
  notFound: 4,
  /** No answer, or not in time. */
  unreachable: 5,
} as const
export type Exit = keyof typeof EXIT

/** Ends the command with one sentence on stderr. */
export class Failure extends Error {
  readonly exit: Exit

  constructor(exit: Exit, sentence: string) {
    super(sentence)
    this.name = 'Failure'
    this.exit = exit
  }
}

export const misuse = (sentence: string) => new Failure('misuse', sentence)
