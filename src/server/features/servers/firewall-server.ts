import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { FirewallBody, firewall } from '#shared/api/servers/firewall.ts'
import { OPEN_FIREWALL } from '#shared/rules/network/firewall-rules.ts'
import type { Audit } from '../../audit/audit-log.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { type FirewallDeps, inFirewallTurn } from '../../firewalls/server-firewall.ts'
import { applyTrial, beginTrial, confirmTrial, KEPT_BY_HAND } from '../../firewalls/trial.ts'
import { clientFirewall } from '../../firewalls/wished-firewall.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { Actor } from '../../sessions/actor.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { lockServer } from './locked-server.ts'
import { serverRow } from './server-row.ts'
import { serverView, type ViewDeps } from './server-view.ts'

type ClientFirewallDeps = ViewDeps & FirewallDeps & Pick<Deps, 'events'> & { audit: Audit }

const UNTRIED = { revertAt: null, before: null, reverted: null, isApplied: true }

type View = z.input<typeof firewall.get.response>

/** The rules of a server, for its owner and for operators. */
export function firewallServer(deps: ClientFirewallDeps) {
  const { db, clock, events, audit } = deps

  const get = async (actor: Actor, id: number): Promise<View> => {
    const server = await serverRow(db, actor, id)
    const refusal = serverView(server, actor, deps).can.firewall.why
    const [row] = await db.select().from(firewalls).where(eq(firewalls.instanceId, id))
    const now = clock.now()
    const current = row ? clientFirewall(row, now) : OPEN_FIREWALL
    if (!row) return { ...current, ...UNTRIED, refusal: refusal ?? KEPT_BY_HAND }
    const isTried = current === row.trial
    return {
      ...current,
      revertAt: isTried ? row.revertAt : null,
      before: isTried ? row.confirmed : null,
      reverted: row.reverted && { ...row.reverted, at: row.revertedAt ?? now },
      isApplied: row.version <= row.appliedVersion,
      refusal: refusal ?? (row.isKept ? null : KEPT_BY_HAND),
    }
  }

  return {
    get,

    /**
     * The turn comes first, so that what is stored is also written next. Whether the caller may see
     * the server is asked before that: a stranger must not hold up its owner.
     */
    async set(actor: Actor, id: number, wished: z.output<typeof FirewallBody>) {
      await instanceFor(db, actor, id)
      return await inFirewallTurn(deps, id, async () => {
        const version = await db.transaction(async (tx) => {
          const { ownerId } = await lockServer(tx, { actor, id, act: 'firewall' }, deps)
          const begun = await beginTrial(tx, id, wished, clock.now())
          const details = { rules: wished.rules.length, incoming: wished.incoming }
          const target = `instance:${id}`
          await audit.record(tx, actor, { action: 'instance.firewall', target, details })
          await publishTokenChange(tx, events, ownerId)
          return begun
        })
        return { revertAt: await applyTrial(deps, id, version) }
      })
    },

    async confirm(actor: Actor, id: number): Promise<View> {
      await db.transaction(async (tx) => {
        const { ownerId } = await lockServer(tx, { actor, id, act: 'firewall' }, deps)
        if (!(await confirmTrial(tx, id, clock.now()))) return
        const target = `instance:${id}`
        await audit.record(tx, actor, { action: 'instance.firewall-confirmed', target })
        await publishTokenChange(tx, events, ownerId)
      })
      return await get(actor, id)
    },
  }
}
