import { UNDER_WAY } from '#shared/rules/instance/instance-power.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'

/** No action on a VM takes longer; an older claim belongs to a process that died. */
export const CLAIM_MS = 5 * MINUTE_MS

/** The status of an instance that gets a new system in place of the old one. */
export const REINSTALLING = 'reinstalling'

/** The status of an instance whose login is being changed. */
export const UPDATING = 'updating'

/** Held by a job, which survives the loss of its process: never void by age. */
export const HELD_BY_JOB: string[] = ['creating', 'deleting', REINSTALLING, UPDATING]
export const HELD_BY_PROCESS: string[] = [...new Set(Object.values(UNDER_WAY))]

type Held = { status: string; lastUpdated: Date | null }

/** True if any process is acting on this instance; its status then says what. */
export function isHeld({ status, lastUpdated }: Held, now: Date): boolean {
  if (HELD_BY_JOB.includes(status)) return true
  if (!HELD_BY_PROCESS.includes(status) || lastUpdated === null) return false
  return now.getTime() - lastUpdated.getTime() < CLAIM_MS
}

export const isHeldByJob = (status: string): boolean => HELD_BY_JOB.includes(status)
