import type { CallOptions } from '../transport/call.ts'
import type { Clock } from '../transport/clock.ts'
import { failureOfSentence } from '../wire/classify.ts'
import { type Failure, isProxmoxError, ProxmoxError } from '../wire/errors.ts'
import type { TaskLog, TaskStatus } from './task-answers.ts'

export type TaskProgress = { percent: number | undefined; line: string }

export type WaitOptions = {
  timeoutMs?: number
  signal?: AbortSignal
  /**
   * Called with the last new line of the task's log, and a percentage where the line contains one.
   */
  onProgress?: (progress: TaskProgress) => void
}

export type TaskResult = { upid: string; warnings: number }

type Deps = {
  clock: Clock
  pollMs: readonly number[]
  closed: AbortSignal
  status(upid: string, options?: CallOptions): Promise<TaskStatus>
  log(upid: string, options?: CallOptions & { start?: number; limit?: number }): Promise<TaskLog>
}

const times = (count: number, ms: number) => Array.from({ length: count }, () => ms)

/**
 * PVE has no push. Most tasks of a sale end within a second, a clone within seconds to minutes:
 * polling again after about a tenth of the elapsed time is never much too late and never a burden.
 */
export const POLL_MS: readonly number[] = [
  ...times(5, 100),
  ...times(5, 200),
  ...times(6, 500),
  ...times(10, 1000),
  ...times(5, 2000),
  5000,
]

const DEFAULT_TIMEOUT_MS = 30 * 60_000

/**
 * Waits until the task has ended. Losing contact (node down, cluster restarting) does not fail the
 * task: polling goes on, and the outcome is unknown when time is up.
 */
export async function waitForTask(
  upid: string,
  deps: Deps,
  options: WaitOptions = {},
): Promise<TaskResult> {
  const { clock, pollMs } = deps
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const ends = clock.now() + timeoutMs
  const readLog = logReader(upid, deps, options)
  for (let round = 0; ; round += 1) {
    const status = await lookAt(upid, deps, signal)
    await readLog()
    if (status?.status === 'stopped') return await resultOf(upid, status.exitstatus ?? '', deps)
    if (clock.now() >= ends) throw unknown(upid, `still running after ${timeoutMs} ms`)
    await pause(pollMs[Math.min(round, pollMs.length - 1)] ?? 1000, deps, options)
  }
}

async function pause(ms: number, { clock, closed }: Deps, { signal }: WaitOptions): Promise<void> {
  const either = signal ? AbortSignal.any([signal, closed]) : closed
  try {
    await clock.sleep(ms, either)
  } catch (cause) {
    const reason = closed.aborted ? 'closed' : 'aborted'
    throw new ProxmoxError({ kind: 'unreachable', reason }, 'stopped waiting', { cause })
  }
}

async function lookAt(upid: string, deps: Deps, signal: AbortSignal | undefined) {
  try {
    return await deps.status(upid, { signal })
  } catch (error) {
    if (!isProxmoxError(error)) throw error
    // Rotated away: the task ran, but its outcome is lost.
    if (error.kind === 'not-found')
      throw unknown(upid, 'PVE no longer knows the task', { cause: error })
    if (deps.closed.aborted || signal?.aborted || !isPassing(error)) throw error
    return undefined
  }
}

const isPassing = (error: ProxmoxError) =>
  error.kind === 'unreachable' || error.kind === 'bad-answer' || error.retry === 'safe'

/** The log is optional: failing to read it must not fail the wait. */
function logReader(upid: string, deps: Deps, { onProgress, signal }: WaitOptions) {
  let seen = 0
  return async () => {
    if (!onProgress) return
    try {
      const lines = await deps.log(upid, { start: seen, signal })
      const last = lines.at(-1)
      if (last === undefined || last.n <= seen) return
      seen = last.n
      const percents = lines.map((line) => percentIn(line.t))
      onProgress({ percent: percents.findLast((percent) => percent !== undefined), line: last.t })
    } catch (error) {
      if (!isProxmoxError(error)) throw error
    }
  }
}

/** `… progression: 12.89 %` up to PVE 6, `transferred 1.2 GiB of 10.0 GiB (12.00%) …` since. */
export function percentIn(line: string): number | undefined {
  const match = /(?:progression: |\()(\d+(?:\.\d+)?) ?%/.exec(line)
  return match?.[1] === undefined ? undefined : Math.min(100, Number(match[1]))
}

async function resultOf(upid: string, exitStatus: string, deps: Deps): Promise<TaskResult> {
  if (exitStatus === 'OK') return { upid, warnings: 0 }
  const warnings = /^WARNINGS: (\d+)$/.exec(exitStatus)?.[1]
  if (warnings !== undefined) return { upid, warnings: Number(warnings) }
  const because: Failure = failureOfSentence(exitStatus)
  // The worker died or left no status: the caller must look up what it did.
  if (because.kind === 'unknown-outcome' || exitStatus === '') {
    throw unknown(upid, 'the worker died', { hasEnded: true })
  }
  const isUnknown = because.kind === 'refused' && because.reason === 'other'
  const lastWords = isUnknown ? await endOfLog(upid, deps) : ''
  const failure = { kind: 'task-failed', upid, exitStatus, because } as const
  throw new ProxmoxError(lastWords ? { ...failure, lastWords } : failure, exitStatus)
}

const WHOLE_LOG = 5000
const LAST_LINES = 2
const MAX_CHARACTERS = 400

/** For "QEMU exited with code 1" QEMU's own message is only in the log, above PVE's last line. */
async function endOfLog(upid: string, { log }: Deps): Promise<string> {
  try {
    const lines = (await log(upid, { limit: WHOLE_LOG })).map(({ t }) => t.trim())
    const said = lines.filter((line) => line !== '' && !line.startsWith('TASK ERROR:'))
    return said.slice(-LAST_LINES).join(' / ').slice(0, MAX_CHARACTERS)
  } catch (error) {
    // The log is optional here, too.
    if (!isProxmoxError(error)) throw error
    return ''
  }
}

function unknown(
  upid: string,
  message: string,
  { cause, hasEnded = false }: { cause?: unknown; hasEnded?: boolean } = {},
): ProxmoxError {
  const failure = { kind: 'unknown-outcome', upid, ...(hasEnded ? { hasEnded } : {}) } as const
  return new ProxmoxError(failure, `${upid}: ${message}`, { cause })
}
