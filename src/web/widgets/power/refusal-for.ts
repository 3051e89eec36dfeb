import { type PowerAct, powerRefusal } from '#shared/rules/instance/instance-power.ts'
import type { Audience } from './power-words.ts'
import type { Powered } from './powered.ts'

/** Why a button or an entry of the palette is not offered, in a sentence; undefined where it is. */
export const refusalFor = (instance: Powered, act: PowerAct, audience: Audience) =>
  powerRefusal({ ...instance, audience: audience === 'admin' ? 'operator' : 'owner' }, act)
