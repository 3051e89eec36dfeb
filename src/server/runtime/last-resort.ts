const WINDOW_MS = 60_000
/** A process that breaks this often does not serve: a fresh one does. */
const MOST_IN_WINDOW = 100

export type FaultKind = 'uncaughtException' | 'unhandledRejection'

type Reaction = {
  /** Writes it down and counts it. */
  report(error: unknown, kind: FaultKind): void
  /** Ends in order: what is under way is answered, then the process goes with an exit code. */
  end(why: string): void
}

type Emitter = Pick<NodeJS.Process, 'on'>

/**
 * What nobody caught arrives here instead of ending the process (decision 015): it is reported, and
 * the process goes on. It ends in order where its memory can no longer be trusted or the faults do
 * not stop. Until `react` is told, a fault is one of the start, and `onStart` decides.
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

/** The embedded database runs as WebAssembly: once that has trapped, its memory is in no known state. */
function isUntrustworthy(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'RuntimeError') return true
  }
  return false
}
