import type { Log } from './log.ts'

/** Work that outlives the request that began it. */
export type Background = {
  /** Runs on its own; a failure is logged and never thrown. */
  run(what: string, work: () => Promise<unknown>): void
  /** Resolves when no work is in progress. */
  idle(): Promise<void>
}

export function createBackground(log: Log): Background {
  const underWay = new Set<Promise<void>>()
  return {
    run(what, work) {
      const begun = (async () => await work())()
      const done: Promise<void> = begun
        .then(
          () => undefined,
          (error: unknown) => log.error({ err: error }, `${what} failed`),
        )
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
