const WINDOW_MS = 60_000
/** A process with this many faults is not useful: a new one is. */
const MOST_IN_WINDOW = 100

export type FaultKind = 'uncaughtException' | 'unhandledRejection'

type Reaction = {
  /** Logs and counts the fault. */
  report(error: unknown, kind: FaultKind): void
  /** Ends in order: answers requests in progress, then exits with a code. */
  end(why: string): void
}

type Emitter = Pick<NodeJS.Process, 'on'>

/**
 * Handles uncaught faults instead of ending the process (decision 015): reports them, and the
 * process continues. It ends in order if its memory can no longer be trusted or the faults do not
 * stop. Until `react` is called, a fault belongs to the start, and `onStart` decides.
 */
export function lastResort(
  emitter: Emitter,
  onStart: (error: unknown) => void,
  now: () => number = Date.now,
) {
  let reaction: Reaction | undefined
  let recent: number[] = []
  let isEnding = false

  const hear = (kind: FaultKind) => (error: unknown) => {
    if (!reaction) return onStart(error)
    reaction.report(error, kind)
    recent = [...recent.filter((at) => at > now() - WINDOW_MS), now()]
    const why = isUntrustworthy(error)
      ? 'the embedded database broke off'
      : recent.length > MOST_IN_WINDOW && 'too many faults within a minute'
    if (!why || isEnding) return
    isEnding = true
    reaction.end(why)
  }
  emitter.on('uncaughtException', hear('uncaughtException'))
  emitter.on('unhandledRejection', hear('unhandledRejection'))

  return {
    react(to: Reaction): void {
      reaction = to
    },
  }
}

/** The embedded database runs as WebAssembly: after a trap its memory is in no known state. */
function isUntrustworthy(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'RuntimeError') return true
  }
  return false
}
