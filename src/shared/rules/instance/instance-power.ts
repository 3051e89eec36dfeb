export const POWER_ACTS = ['start', 'stop', 'shutdown', 'restart'] as const
export type PowerAct = (typeof POWER_ACTS)[number]

/** An instance's status while an action is under way, by action. */
export const UNDER_WAY = {
  start: 'starting',
  stop: 'stopping',
  shutdown: 'stopping',
  restart: 'restarting',
} as const satisfies Record<PowerAct, string>

/** Also under way, but not a power action. */
const OTHER_WORK: readonly string[] = ['creating', 'deleting', 'reinstalling', 'updating', 'busy']

/** Whether an action is under way on it. */
export const isUnderWay = (status: string): boolean =>
  OTHER_WORK.includes(status) || Object.values<string>(UNDER_WAY).includes(status)

/** The actions each state allows. A state that is not listed allows none. */
const ALLOWED: Readonly<Record<string, readonly PowerAct[]>> = {
  running: ['stop', 'shutdown', 'restart'],
  stopped: ['start'],
  suspended: ['start', 'stop'],
  paused: ['stop'],
  error: ['stop'],
  // A shutdown waits for a guest that does not react; a stop must not wait with it (I2).
  stopping: ['stop'],
  restarting: ['stop'],
  // Its real state is not known. Repeating an action is harmless, so every action is allowed.
  unknown: POWER_ACTS,
}

const FAILED: readonly string[] = ['error', 'missing']

/** In error, or missing from its cluster: an operator has to look. */
export const isFailedStatus = (status: string): boolean => FAILED.includes(status)

type PowerRefusal = { code: 'INVALID_STATE' | 'LOCKED' | 'VM_MISSING'; reason: string }
export type PowerTable = Record<PowerAct, boolean> & {
  /** Why an action is not allowed; undefined where it is. */
  refusal(act: PowerAct): PowerRefusal | undefined
}

/**
 * The actions an instance in this state allows (I2): the page disables by it, the server refuses by
 * it.
 */
export function canPower(status: string): PowerTable {
  const allowed = ALLOWED[status] ?? []
  const may = (act: PowerAct) => allowed.includes(act)
  return {
    start: may('start'),
    stop: may('stop'),
    shutdown: may('shutdown'),
    restart: may('restart'),
    refusal: (act) => (may(act) ? undefined : refusalOf(status, act)),
  }
}

function refusalOf(status: string, act: PowerAct): PowerRefusal {
  if (status === 'missing') {
    return { code: 'VM_MISSING', reason: 'The cluster no longer has this VM.' }
  }
  if (isUnderWay(status)) {
    return { code: 'LOCKED', reason: 'Another action is still running on this instance.' }
  }
  return { code: 'INVALID_STATE', reason: stateReason(status, act) }
}

function stateReason(status: string, act: PowerAct): string {
  if (status === 'running') return 'The instance is already running.'
  if (status === 'stopped') {
    return act === 'restart' ? 'The instance is not running.' : 'The instance is already stopped.'
  }
  if (act === 'start') return `The instance is ${status}: stop it first.`
  return `The operating system does not react while the instance is ${status}: use Stop.`
}

export type PowerFacts = {
  /** For its owner, not for operators. */
  isOwner: boolean
  status: string
  /** The state of the time its client has with it, where there is one and it is known. */
  term?: string | null
  suspended?: { reason: string } | null
}

const isOff = (act: PowerAct) => act === 'stop' || act === 'shutdown'

/** Why this person cannot do it now, in a sentence; undefined where it is possible. */
export const powerRefusal = (facts: PowerFacts, act: PowerAct): string | undefined =>
  offRefusal(facts, act) ?? canPower(facts.status).refusal(act)?.reason

/** An owner cannot switch on a server whose time is over. Neither owner nor operator can switch on a suspended one. */
export function offRefusal(
  { isOwner, term, suspended }: Omit<PowerFacts, 'status'>,
  act: PowerAct,
): string | undefined {
  if (isOff(act)) return undefined
  const isOver = term === 'expired' || term === 'cancelled'
  if (isOwner && isOver) return 'This server has expired. Renew it to switch it on.'
  return suspended ? suspendedWords(suspended) : undefined
}

export const suspendedWords = ({ reason }: { reason: string }): string =>
  `This server is suspended: ${reason}`
