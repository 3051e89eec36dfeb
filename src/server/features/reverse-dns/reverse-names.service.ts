import { and, eq, ne } from 'drizzle-orm'
import type { ReverseName } from '#shared/api/servers/reverse-dns.ts'
import { AppError, notFound } from '#shared/errors.ts'
import { poolOf } from '#shared/rules/network/pool.ts'
import { defaultName } from '#shared/rules/reverse-dns/name-pattern.ts'
import { poolsOf } from '../../addresses/pool-rows.ts'
import { changeWish, firstWish, type ReverseRow } from '../../addresses/reverse-wishes.ts'
import type { Audit } from '../../audit/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { reverseNames } from '../../db/schema/addresses.ts'
import { concerned } from '../../events/event-bus.ts'
import { instanceFor } from '../../inventory/views/instance-rows.ts'
import { isReverseDnsOffered } from '../../reverse-dns/dns-server-store.ts'
import type { ForwardCheck } from '../../reverse-dns/forward-check.ts'
import { lockAddresses } from '../../reverse-dns/name-drift.ts'
import { publishNames } from '../../reverse-dns/publish-names.ts'
import { type Named, namedAddresses, shownName } from '../../reverse-dns/server-names.ts'
import type { Deps } from '../../runtime/deps.ts'
import { type Actor, isAdmin } from '../../sessions/actor.ts'

type NamesDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'background'> & {
  audit: Audit
  forwardCheck: ForwardCheck
  tellNames: () => Promise<void>
}
type Change = { address: string; hostname: string | null }
type Server = { id: number; clusterId: number }

/** The names that clients give the addresses of their servers. */
export function reverseNamesService(deps: NamesDeps) {
  const { db, clock, events, background, audit, forwardCheck, tellNames } = deps

  /** Stores the wish; a name that the DNS server did not take is asked for again at once. */
  const store = async (tx: Db, { clusterId }: Server, named: Named, hostname: string | null) => {
    const now = clock.now()
    const { address, name, row } = named
    const wanted = hostname ?? (await givenName(tx, clusterId, address))
    const wish = { instanceId: named.instanceId, ownerId: named.ownerId, hostname, wanted }
    if (row) {
      await changeWish(tx, row, wish, now)
      const isOpen = and(eq(reverseNames.id, row.id), ne(reverseNames.state, 'set'))
      await tx.update(reverseNames).set({ nextAt: now }).where(isOpen)
    } else if (wanted !== null) {
      const made = await firstWish(tx, { clusterId, address, name }, wish, now)
      if (!made) {
        throw new AppError('CONFLICT', 'A server of another cluster has the name of this address.')
      }
    }
    return await rowOf(tx, name)
  }

  return {
    /** Asks whether the name leads to the address first: that takes time, so it holds no lock. */
    async set(actor: Actor, id: number, { address, hostname }: Change): Promise<ReverseName> {
      const { clusterId } = await instanceFor(db, actor, id)
      const server = { id, clusterId }
      if (!(await isReverseDnsOffered(db))) {
        throw new AppError('INVALID_STATE', 'Reverse DNS is not offered here.')
      }
      await requireNamed(db, server, address)
      if (hostname !== null) await forwardCheck(hostname, address)
      const row = await db.transaction(async (tx) => {
        await lockAddresses(tx, clusterId, [address])
        // Meanwhile the server may have gone to another owner, or the address to another server.
        const named = await requireNamed(tx, server, address)
        if (!isAdmin(actor) && named.ownerId !== actor.user.id) throw notFound('Instance')
        const stored = await store(tx, server, named, hostname)
        await publishNames(tx, events, concerned(named.ownerId))
        // The name itself is not kept longer than the server.
        const action = hostname === null ? 'instance.rdns-reset' : 'instance.rdns'
        await audit.record(tx, actor, { action, target: `instance:${id}`, details: { address } })
        return stored
      })
      // The sweep comes by itself, too: should this process end now, it does the rest.
      background.run('telling the DNS server', tellNames)
      return shownName(row, { isOperator: isAdmin(actor) })
    },
  }
}

async function requireNamed(db: Db, server: Server, address: string): Promise<Named> {
  const named = (await namedAddresses(db, server, [address])).get(address)
  if (named) return named
  const message = `Reverse DNS is not offered for ${address}, or this server does not have it.`
  throw new AppError('INVALID_INPUT', message, { details: [{ path: 'address', message }] })
}

/** What the address is called by itself. */
async function givenName(tx: Db, clusterId: number, address: string): Promise<string | null> {
  const pattern = poolOf(await poolsOf(tx, [clusterId]), address)?.rdnsPattern ?? null
  return pattern === null ? null : (defaultName(pattern, address) ?? null)
}

async function rowOf(tx: Db, name: string): Promise<ReverseRow | undefined> {
  const [row] = await tx.select().from(reverseNames).where(eq(reverseNames.name, name))
  return row
}
