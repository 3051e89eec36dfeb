import type { ClusterState } from '../state/cluster-state.ts'
import type { Job, Task } from '../state/types.ts'
import { PveError, textOf } from '../wire/errors.ts'
import { formatUpid } from './upid.ts'

/** What a running job works with. */
export type Work = Pace & { task: Task }

export type Pace = {
  log(line: string): void
  /** Time passing inside the worker; throws when the task is stopped or made to fail. */
  wait(ms: number): Promise<void>
}

export type JobFunction = (work: Work, args: Record<string, unknown>) => Promise<void>

type NewTask = { node: string; type: string; id: string; authid: string; job: Job }

type Running = {
  cancel: (reason: string) => void
  cancelled: string | null
  waiting: (() => void)[]
}

type TaskDeps = {
  state: ClusterState
  now: () => number
  jobs: () => Record<string, JobFunction>
  changed: () => void
}

const KEPT = 2000

/** The error of a worker that is told to stop. */
export const INTERRUPTED = 'received interrupt'
/** The exit status of a task whose worker was killed: its log has no last line. */
export const KILLED = 'unexpected status'
const SECOND = 1000

class WorkerKilled extends Error {
  constructor() {
    super(KILLED)
  }
}

/** A killed worker cleans nothing up: its VM stays locked. */
export const isKilled = (error: unknown): boolean => error instanceof WorkerKilled

const stoppedBy = (reason: string) => (reason === KILLED ? new WorkerKilled() : new Error(reason))

/** Their workers die with the VM locked; those of other jobs before they do anything. */
const DIES_LOCKED = /snapshot|rollback|vzdump|qmrestore/

/** An error as the exit status of a task: one line, with status and parameters where present. */
function endOf(error: unknown): string {
  if (!(error instanceof PveError) || error.status === 500) return textOf(error)
  const lines = Object.entries(error.errors ?? {}).map(([name, wrong]) => `${name}: ${wrong}`)
  return [`${error.status} ${error.message}`, ...lines].join('\n').replaceAll('\n', ' ')
}

export type TaskRunner = ReturnType<typeof taskRunner>

/** Starts, runs, stops and remembers worker tasks. */
export function taskRunner(deps: TaskDeps) {
  const { state } = deps
  const running = new Map<string, Running>()
  const timers = new Set<NodeJS.Timeout>()
  let closed = false
  let watch: ((task: Task) => void) | undefined

  function wait(task: Task, control: Running, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (control.cancelled) return reject(stoppedBy(control.cancelled))
      if (task.dies) return reject(new WorkerKilled())
      const timer = setTimeout(() => {
        timers.delete(timer)
        if (closed) return
        if (task.fault !== undefined) return reject(new Error(task.fault))
        resolve()
      }, ms)
      timers.add(timer)
      control.cancel = (reason) => {
        control.cancelled = reason
        clearTimeout(timer)
        timers.delete(timer)
        reject(stoppedBy(reason))
      }
    })
  }

  function finish(task: Task, control: Running, failure: string | null): void {
    if (closed) return
    task.log.push(failure === null ? 'TASK OK' : `TASK ERROR: ${failure}`)
    task.exitstatus = failure ?? 'OK'
    task.endtime = Math.floor(deps.now() / SECOND)
    running.delete(task.upid)
    deps.changed()
    for (const resolve of control.waiting) resolve()
  }

  async function run(task: Task, control: Running): Promise<void> {
    const work: Work = {
      task,
      log: (line) => task.log.push(line),
      wait: (ms) => wait(task, control, ms),
    }
    try {
      if (task.dies && !DIES_LOCKED.test(task.job.name)) return finish(task, control, KILLED)
      const job = deps.jobs()[task.job.name]
      if (!job) throw new Error(`no job ${task.job.name}`)
      await job(work, task.job.args)
      finish(task, control, null)
    } catch (error) {
      finish(task, control, endOf(error))
    }
  }

  function launch(task: Task): void {
    const control: Running = { cancel: () => {}, cancelled: null, waiting: [] }
    control.cancel = (reason) => {
      control.cancelled = reason
    }
    running.set(task.upid, control)
    void run(task, control)
  }

  function rotate(): void {
    for (const [key, task] of state.tasks) {
      if (state.tasks.size <= KEPT) return
      if (task.exitstatus !== null) state.tasks.delete(key)
    }
  }

  return {
    start(spec: NewTask): string {
      const booted = state.nodes.get(spec.node)?.bootedAt ?? 0
      const ids = {
        node: spec.node,
        pid: state.nextPid++,
        // Jiffies since the node booted.
        pstart: Math.max(0, Math.floor((deps.now() - booted) / 10)) % 0xfffffffff,
        starttime: Math.floor(deps.now() / SECOND),
        type: spec.type,
        id: spec.id,
        authid: spec.authid,
      }
      const upid = formatUpid(ids)
      const task: Task = { ...ids, upid, endtime: null, exitstatus: null, log: [], job: spec.job }
      state.tasks.set(upid, task)
      watch?.(task)
      launch(task)
      rotate()
      return upid
    },
    /**
     * Resumes the tasks that a restart interrupted: a real cluster would have continued meanwhile.
     */
    resume(): void {
      for (const task of state.tasks.values()) {
        if (task.exitstatus === null) launch(task)
      }
    },
    /** Like DELETE /nodes/{node}/tasks/{upid}: signals the worker, and kills it if it stays. */
    stop(upid: string): void {
      const { ignoresSignals } = state.tasks.get(upid) ?? {}
      running.get(upid)?.cancel(ignoresSignals ? KILLED : INTERRUPTED)
    },
    /** Lets the fault board see (and spoil) the next task started during `act`. */
    watching<T>(see: (task: Task) => void, act: () => T): T {
      watch = see
      try {
        return act()
      } finally {
        watch = undefined
      }
    },
    ended: (upid: string) =>
      new Promise<void>((resolve) => {
        const control = running.get(upid)
        if (control) control.waiting.push(resolve)
        else resolve()
      }),
    /** Its UPID no longer resolves; its node's list shows the worker as long as it runs. */
    forget(upid: string): void {
      const task = state.tasks.get(upid)
      state.tasks.delete(upid)
      if (task?.exitstatus === null) state.tasks.set(`lost ${upid}`, task)
    },
    close(): void {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
