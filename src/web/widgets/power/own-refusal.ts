import type { PowerAct } from '#shared/rules/instance/instance-power.ts'
import type { Audience } from './power-words.ts'
import type { Powered } from './powered.ts'

/** A server that is suspended or over cannot be switched on by a button of its client. */
export function ownRefusal(
  { suspended, term }: Pick<Powered, 'suspended' | 'term'>,
  act: PowerAct,
  audience: Audience,
) {
  if (act !== 'start' && act !== 'restart') return undefined
  if (suspended) return { reason: `suspended. ${suspended.reason}` }
  return term === 'expired' && audience === 'client'
    ? { reason: 'expired. Renew it first.' }
    : undefined
}
