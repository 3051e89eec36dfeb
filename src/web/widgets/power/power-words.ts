import type { PowerAct } from '#shared/rules/instance/instance-power.ts'
import { sentenceOf } from '../../api/api-error.ts'
import type { Notice } from '../../api/toasts.ts'

export type Audience = 'admin' | 'client'

export const ACT_LABELS: Record<PowerAct, string> = {
  start: 'Start',
  stop: 'Stop',
  shutdown: 'Shutdown',
  restart: 'Restart',
}

export const DONE: Record<PowerAct, string> = {
  start: 'Instance started successfully',
  stop: 'Instance stopped successfully',
  shutdown: 'Instance shutdown successfully',
  restart: 'Instance restarted successfully',
}

/** The state that each action leads to; a finished restart runs again. */
const AFTER: Record<PowerAct, string> = {
  start: 'running',
  stop: 'stopped',
  shutdown: 'stopped',
  restart: 'running',
}

/**
 * The result of an action that took longer than an answer. The state alone does not tell: a guest
 * that ignored a restart still runs.
 */
export function endNotice(
  act: PowerAct,
  audience: Audience,
  { status, word, failure }: { status: string; word: string; failure: string | null },
): Notice {
  if (failure !== null) return { tone: 'bad', ...powerFailure(act, audience, new Error(failure)) }
  if (status === AFTER[act]) return { title: DONE[act] }
  const error = new Error(`The instance is ${word.toLowerCase()}.`)
  return { tone: 'bad', ...powerFailure(act, audience, error) }
}

/** Administrators read one sentence; clients a title, and the server's sentence below it. */
export const powerFailure = (act: PowerAct, audience: Audience, error: Error): Notice =>
  audience === 'admin'
    ? { title: 'Error', description: `Failed to ${act} instance: ${sentenceOf(error)}` }
    : { title: `Failed to ${act} instance`, description: sentenceOf(error) }
