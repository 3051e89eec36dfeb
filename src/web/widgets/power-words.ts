import type { PowerAct } from '#shared/rules/instance-power.ts'
import { sentenceOf } from '../api/api-error.ts'
import type { Notice } from '../api/toasts.ts'

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

/** Administrators read one sentence; clients a title, and the server's sentence below it. */
export const powerFailure = (act: PowerAct, audience: Audience, error: Error): Notice =>
  audience === 'admin'
    ? { title: 'Error', description: `Failed to ${act} instance: ${sentenceOf(error)}` }
    : { title: `Failed to ${act} instance`, description: sentenceOf(error) }
