import { instanceFor } from '../../inventory/views/instance-rows.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { daysOfServer, topTalkers } from '../../traffic/traffic-views.ts'

/** What has passed through the cards of servers. */
export function trafficService({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  return {
    async days(actor: Actor, id: number) {
      await instanceFor(db, actor, id)
      return await daysOfServer(db, id, clock.now(), { isOperator: isAdmin(actor) })
    },
    top: (days: number) => topTalkers(db, days, clock.now()),
  }
}
