export const POWER_ACTS = ['start', 'stop', 'shutdown', 'restart'] as const
export type PowerAct = (typeof POWER_ACTS)[number]

/** What an instance is called while something is done to it, by the act that does it. */
export const UNDER_WAY = {
  start: 'starting',
  stop: 'stopping',
  shutdown: 'stopping',
  restart: 'restarting',
} as const satisfies Record<PowerAct, string>

/** Also under way, but not by a power act. */
const OTHER_WORK: readonly string[] = ['creating', 'deleting', 'busy']

/** Something is being done to it right now. */
export const isUnderWay = (status: string): boolean =>
  OTHER_WORK.includes(status) || Object.values<string>(UNDER_WAY).includes(status)

/** Which acts each state allows. A state that is not listed allows none. */
const ALLOWED: Readonly<Record<string, readonly PowerAct[]>> = {
  running: ['stop', 'shutdown', 'restart'],
  stopped: ['start'],
  suspended: ['start', 'stop'],
  paused: ['stop'],
  error: ['stop'],
  // A guest that does not react is waited for; pulling the plug must not wait with it (I2).
  stopping: ['stop'],
  restarting: ['stop'],
  // Nobody knows what it does now. Doing what is already done is harmless, so all is allowed.
  unknown: POWER_ACTS,
}

const FAILED: readonly string[] = ['error', 'missing']

/** In error, or gone from its cluster: somebody has to look. */
export const isFailedStatus = (status: string): boolean => FAILED.includes(status)

type PowerRefusal = { code: 'INVALID_STATE' | 'LOCKED' | 'VM_MISSING'; reason: string }
export type PowerTable = Record<PowerAct, boolean> & {
  /** Why an act is not allowed; undefined where it is. */
  refusal(act: PowerAct): PowerRefusal | undefined
}

/** What may be done to an instance in this state (I2): the page disables by it, the server refuses. */
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
