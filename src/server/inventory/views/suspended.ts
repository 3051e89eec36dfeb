import { AppError } from '#shared/errors.ts'
import { suspendedWords } from '#shared/rules/instance/instance-power.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import type { JoinedInstance } from './instance-rows.ts'

type Suspended = Pick<JoinedInstance, 'suspendedAt' | 'suspendReason'>

export const suspensionOf = ({ suspendedAt, suspendReason }: Suspended) =>
  suspendedAt === null ? null : { reason: suspendReason ?? '', since: suspendedAt }

/** Operators may open the console of a suspended server; its client may not. */
export const isBarred = (actor: Actor, row: Suspended): boolean =>
  row.suspendedAt !== null && !isAdmin(actor)

export const suspendedError = ({ suspendReason }: Suspended) =>
  new AppError('INVALID_STATE', suspendedWords({ reason: suspendReason ?? '' }))

/** For a VM that runs again, or is handed over again. */
export const NOT_SUSPENDED = {
  suspendedAt: null,
  suspendReason: null,
  suspendCause: null,
} as const

/** For a VM that is released: nothing of its last client stays with it. */
export const OF_NOBODY = {
  ...NOT_SUSPENDED,
  ownerId: null,
  tokenId: null,
  label: null,
  hostname: null,
} as const
