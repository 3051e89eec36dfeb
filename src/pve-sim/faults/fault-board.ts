import type { Task } from '../state/types.ts'

export const FAULT_KINDS = [
  'refuse',
  'black-hole',
  'latency',
  'reset',
  'truncate',
  'html-500',
  '502',
  '595',
  '596',
  'ticket-expired',
  '403',
  '429',
  'task-error',
  'task-lost',
  'worker-dies',
  'node-offline',
  'no-quorum',
  'certificate-changed',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export type Fault = {
  kind: FaultKind
  /** Matched against the path below /api2/json, query included; absent: every request. */
  path?: RegExp | string
  method?: string
  /** How often it strikes; absent: until cleared. */
  count?: number
  /** 0…1; absent: always. */
  probability?: number
  /** latency: the delay. */
  ms?: number
  /** task-error: the exit status; 403: the reason phrase. */
  message?: string
  /** node-offline: which node. */
  node?: string
  /** Whether the call still takes effect. Default by kind: see `effectByDefault`. */
  effect?: boolean
}

type Armed = Fault & { left: number; pattern: RegExp | undefined }

/** A lost answer does not undo the effect; a refused connection prevents it. */
const effectByDefault = (kind: FaultKind) =>
  kind === 'reset' || kind === 'truncate' || kind === '596' || kind === 'latency'

export const takesEffect = (fault: Fault) => fault.effect ?? effectByDefault(fault.kind)

/** What faults do to the whole cluster, not to a single answer. */
type FaultEffects = {
  nodeOnline(name: string, online: boolean): void
  quorum(quorate: boolean): void
  listening(listen: boolean): void
  rotateCertificate(): void
}

export type Faults = {
  add(fault: Fault): void
  list(): Fault[]
  clear(): void
}

export type FaultBoard = Faults & {
  /** The faults that strike this request; their counts are reduced. */
  strike(method: string, path: string): Fault[]
  /** Called at the next clear(): releases requests held in a black hole. */
  onClear(act: () => void): void
}

/** Cluster-wide faults start when added and end when cleared. */
const CLUSTER_WIDE = new Set<FaultKind>(['node-offline', 'no-quorum', 'certificate-changed'])

/** An unconditional refusal is real: the port is closed. */
const closesPort = (fault: Fault) =>
  fault.kind === 'refuse' &&
  fault.path === undefined &&
  fault.method === undefined &&
  fault.count === undefined &&
  fault.probability === undefined

export function faultBoard(effects: FaultEffects, random: () => number): FaultBoard {
  let armed: Armed[] = []
  const clearers: (() => void)[] = []

  function begin(fault: Fault): void {
    if (fault.kind === 'node-offline' && fault.node) effects.nodeOnline(fault.node, false)
    if (fault.kind === 'no-quorum') effects.quorum(false)
    if (fault.kind === 'certificate-changed') effects.rotateCertificate()
    if (closesPort(fault)) effects.listening(false)
  }

  function end(fault: Fault): void {
    if (fault.kind === 'node-offline' && fault.node) effects.nodeOnline(fault.node, true)
    if (fault.kind === 'no-quorum') effects.quorum(true)
    if (closesPort(fault)) effects.listening(true)
  }

  const hits = (fault: Armed, method: string, path: string) =>
    fault.left > 0 &&
    !CLUSTER_WIDE.has(fault.kind) &&
    (fault.method === undefined || fault.method === method) &&
    (fault.pattern === undefined || fault.pattern.test(path)) &&
    random() < (fault.probability ?? 1)

  return {
    add(fault) {
      const pattern = fault.path === undefined ? undefined : new RegExp(fault.path)
      armed.push({ ...fault, left: fault.count ?? Number.POSITIVE_INFINITY, pattern })
      begin(fault)
    },
    list: () => armed.filter((fault) => fault.left > 0).map(({ left, pattern, ...fault }) => fault),
    clear() {
      const before = armed
      armed = []
      for (const fault of before) end(fault)
      for (const act of clearers.splice(0)) act()
    },
    strike(method, path) {
      const struck = armed.filter((fault) => hits(fault, method, path))
      for (const fault of struck) fault.left--
      return struck
    },
    onClear(act) {
      clearers.push(act)
    },
  }
}

/** Applies faults to the task that the request has started. */
export function spoil(task: Task, faults: Fault[]): void {
  const failure = faults.find((fault) => fault.kind === 'task-error')
  if (failure) task.fault = failure.message ?? 'unexpected status'
  if (faults.some((fault) => fault.kind === 'worker-dies')) task.dies = true
}
