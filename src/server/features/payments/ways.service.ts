import type { z } from 'zod'
import type { OperatorWay, WaysUpdate } from '#shared/api/money/payments.ts'
import { AppError } from '#shared/errors.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { storeWays } from '../../payments/ways/payment-settings.ts'
import type { Offer, Ways } from '../../payments/ways/ways.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'

type WaysDeps = Pick<Deps, 'db' | 'clock' | 'keyring'> & { audit: Audit; ways: Ways }

/** For the operator: which ways to pay are offered, in which order and by which names. */
export function waysService({ db, clock, keyring, audit, ways }: WaysDeps) {
  return {
    arrange: (actor: Actor, update: z.output<typeof WaysUpdate>) =>
      db.transaction(async (tx) => {
        const known = (await ways.all(tx)).map(({ id }) => id)
        const given = update.ways.map(({ id }) => id)
        const isComplete = known.every((id) => given.includes(id))
        if (!isComplete || given.length !== known.length) {
          throw new AppError('INVALID_INPUT', `Please name each way once: ${known.join(', ')}.`)
        }
        if (update.ways.every(({ isHidden }) => isHidden)) {
          const sentence = 'At least one way to pay must be visible: clients could renew nothing.'
          throw new AppError('INVALID_INPUT', sentence)
        }
        const chosen = update.ways.map(({ id, name = null, isHidden }) => ({ id, name, isHidden }))
        const { instructions = null } = update
        await storeWays(tx, { ways: chosen, instructions }, { keyring, now: clock.now() })
        const hidden = update.ways.filter(({ isHidden }) => isHidden).map(({ id }) => id)
        const details = { ways: given, hidden }
        await audit.record(tx, actor, { action: 'payments.arrange', target: 'payments', details })
        return (await ways.all(tx)).map(toOperatorWay)
      }),
  }
}

export const toOperatorWay = (offer: Offer): z.input<typeof OperatorWay> => ({
  id: offer.id,
  name: offer.name,
  kind: offer.kind,
  provider: offer.provider.name,
  usualName: offer.usualName,
  isHidden: offer.isHidden,
})
