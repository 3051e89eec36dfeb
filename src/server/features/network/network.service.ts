import { eq } from 'drizzle-orm'
import type { Network, Protection } from '#shared/api/servers/network.ts'
import { AppError } from '#shared/errors.ts'
import { type FirewallFault, faultForOperators } from '#shared/rules/network/firewall-faults.ts'
import { poolsOf } from '../../addresses/pool-rows.ts'
import { prefixOf } from '../../addresses/sends-from.ts'
import { shownAddresses } from '../../addresses/shown-addresses.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { firewalls } from '../../db/schema/firewalls.ts'
import { instances, tokens } from '../../db/schema/stock.ts'
import { setFirewall } from '../../firewalls/server-firewall.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import { shownNames } from '../../reverse-dns/server-names.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'
import { DELIVERED } from '../../tokens/token-rows.ts'
import { type TrafficView, trafficOf } from '../../traffic/traffic-views.ts'
import { keepAll, type ProtectionPage, protectionOf, UNCHECKED } from './protection.ts'

type NetworkDeps = Pick<Deps, 'db' | 'clock' | 'hypervisors' | 'background' | 'log'> & {
  audit: Audit
  firewallSweep: () => Promise<void>
}

/** Its client can do nothing about it, but has a right to know. */
const FOR_CLIENTS = 'The filter is not in force. The operator is told.'

type NetworkView = Omit<Network, 'traffic'> & TrafficView

/** How servers are connected, and what their firewalls keep in. */
export function networkService(deps: NetworkDeps) {
  const { db, clock, audit, background, firewallSweep } = deps

  const get = async (actor: Actor, id: number): Promise<NetworkView> => {
    await instanceFor(db, actor, id)
    const { instance, token, firewall } = await rowsOf(db, id)
    const isShown = isAdmin(actor) || (token !== null && DELIVERED.includes(token.status))
    const faults = firewall?.faults ?? UNCHECKED
    const addresses = isShown ? shownAddresses(token, instance) : []
    const pools = await poolsOf(db, [instance.clusterId])
    const names = await shownNames(db, instance, addresses, { isOperator: isAdmin(actor) })
    return {
      addresses: addresses.map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
        rdns: names.get(address) ?? null,
      })),
      prefixes: addresses.flatMap((address) => prefixOf(pools, address) ?? []),
      macAddress: isShown ? (token?.macAddress ?? null) : null,
      antiSpoof: { ok: faults.length === 0, why: whyOf(faults, actor) },
      isMailOpen: firewall?.isMailOpen ?? false,
      ...(await trafficOf(db, id, clock.now())),
    }
  }

  return {
    get,

    /** The cluster first: if it does not do it, nothing has changed. */
    async setMail(actor: Actor, id: number, isMailOpen: boolean): Promise<NetworkView> {
      await instanceFor(db, actor, id)
      await setFirewall(deps, id, { isMailOpen })
      const action = isMailOpen ? 'instance.mail-opened' : 'instance.mail-closed'
      await audit.record(db, actor, { action, target: `instance:${id}` })
      return await get(actor, id)
    },

    protection: (page: ProtectionPage): Promise<Protection> => protectionOf(db, page),

    async protect(actor: Actor) {
      const servers = await db.transaction(async (tx) => {
        const marked = await keepAll(tx)
        const details = { servers: marked }
        await audit.record(tx, actor, { action: 'firewalls.keep', details })
        return marked
      })
      // The sweep comes by itself, too: should this process end now, it does the rest.
      background.run('setting firewalls', firewallSweep)
      return { servers }
    },
  }
}

const whyOf = (faults: FirewallFault[], actor: Actor): string | null => {
  if (faults.length === 0) return null
  return isAdmin(actor) ? faults.map(faultForOperators).join(' ') : FOR_CLIENTS
}

async function rowsOf(db: Db, id: number) {
  const [found] = await db
    .select({ instance: instances, token: tokens, firewall: firewalls })
    .from(instances)
    .leftJoin(tokens, eq(tokens.id, instances.tokenId))
    .leftJoin(firewalls, eq(firewalls.instanceId, instances.id))
    .where(eq(instances.id, id))
  if (!found) throw new AppError('NOT_FOUND', 'Instance not found')
  return found
}
